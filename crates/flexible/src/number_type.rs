//! Numbers in binary files: their types and bytes.

/// Type of the numbers of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Unsigned(usize),
    Signed(usize),
    Float,
    Double,
}

impl Type {
    /// By the name in legacy files or in XML.
    pub fn named(name: &[u8]) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_slice() {
            b"unsigned_char" | b"uint8" => Type::Unsigned(1),
            b"char" | b"signed_char" | b"int8" => Type::Signed(1),
            b"unsigned_short" | b"uint16" => Type::Unsigned(2),
            b"short" | b"int16" => Type::Signed(2),
            b"unsigned_int" | b"uint32" => Type::Unsigned(4),
            b"int" | b"int32" => Type::Signed(4),
            b"unsigned_long" | b"uint64" | b"vtktypeuint64" => Type::Unsigned(8),
            b"long" | b"int64" | b"vtktypeint64" | b"vtkidtype" => Type::Signed(8),
            b"float" | b"float32" => Type::Float,
            b"double" | b"float64" => Type::Double,
            _ => return None,
        })
    }

    pub fn size(self) -> usize {
        match self {
            Type::Unsigned(size) | Type::Signed(size) => size,
            Type::Float => 4,
            Type::Double => 8,
        }
    }

    pub fn is_whole(self) -> bool {
        matches!(self, Type::Unsigned(_) | Type::Signed(_))
    }

    /// The bits of a number, those of a signed one with its sign on top.
    fn bits(self, bytes: &[u8], big: bool) -> u64 {
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        let bits = if big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) };
        match self {
            Type::Signed(size) => {
                let unused = 64 - 8 * size as u32;
                ((bits << unused) as i64 >> unused) as u64
            }
            _ => bits,
        }
    }

    pub fn real(self, bytes: &[u8], big: bool) -> f64 {
        let bits = self.bits(bytes, big);
        match self {
            Type::Unsigned(_) => bits as f64,
            Type::Signed(_) => bits as i64 as f64,
            Type::Float => f32::from_bits(bits as u32).into(),
            Type::Double => f64::from_bits(bits),
        }
    }

    /// A whole number; those that are not have none.
    pub fn whole(self, bytes: &[u8], big: bool) -> Option<i64> {
        match self {
            Type::Unsigned(_) => i64::try_from(self.bits(bytes, big)).ok(),
            Type::Signed(_) => Some(self.bits(bytes, big) as i64),
            _ => None,
        }
    }
}
