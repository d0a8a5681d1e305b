//! Arrays of numbers inside JSON: base64 of little-endian bytes.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

/// Type of the numbers of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NumberType {
    /// 32-bit float.
    F32,
    /// 64-bit float.
    F64,
    /// 32-bit whole number.
    U32,
}

/// An array of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Type of the numbers.
    #[serde(rename = "type")]
    pub kind: NumberType,
    /// Its extents, the last runs fastest.
    pub shape: Vec<usize>,
    /// Where the numbers are.
    #[serde(flatten)]
    pub content: Content,
}

/// Where the numbers of a block are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Keys", into = "Keys")]
pub enum Content {
    /// Here, as base64.
    Data {
        /// The text.
        text: String,
        /// CRC-32 of the bytes, by which damage is noticed.
        crc: Option<u32>,
    },
    /// At an address, as bytes.
    Url(String),
}

/// The content as keys of JSON.
#[derive(Serialize, Deserialize)]
struct Keys {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    crc: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

impl From<Content> for Keys {
    fn from(content: Content) -> Keys {
        match content {
            Content::Data { text, crc } => Keys { data: Some(text), crc, url: None },
            Content::Url(url) => Keys { data: None, crc: None, url: Some(url) },
        }
    }
}

impl TryFrom<Keys> for Content {
    type Error = &'static str;

    fn try_from(keys: Keys) -> Result<Content, &'static str> {
        match keys {
            Keys { data: Some(text), crc, .. } => Ok(Content::Data { text, crc }),
            Keys { url: Some(url), .. } => Ok(Content::Url(url)),
            _ => Err("a block holds neither `data` nor `url`"),
        }
    }
}

impl Block {
    /// 32-bit floats.
    pub fn f32(shape: &[usize], values: impl IntoIterator<Item = f32>) -> Block {
        Self::here(NumberType::F32, shape, values.into_iter().flat_map(f32::to_le_bytes).collect())
    }

    /// 64-bit floats.
    pub fn f64(shape: &[usize], values: impl IntoIterator<Item = f64>) -> Block {
        Self::here(NumberType::F64, shape, values.into_iter().flat_map(f64::to_le_bytes).collect())
    }

    /// 32-bit whole numbers.
    pub fn u32(shape: &[usize], values: impl IntoIterator<Item = u32>) -> Block {
        Self::here(NumberType::U32, shape, values.into_iter().flat_map(u32::to_le_bytes).collect())
    }

    fn here(kind: NumberType, shape: &[usize], bytes: Vec<u8>) -> Block {
        let content = Content::Data { crc: Some(crc32(&bytes)), text: STANDARD.encode(bytes) };
        Block { kind, shape: shape.to_vec(), content }
    }

    /// The bytes of a block that holds them, undamaged.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match &self.content {
            Content::Data { text, crc } => {
                STANDARD.decode(text).ok().filter(|bytes| crc.is_none_or(|crc| crc == crc32(bytes)))
            }
            Content::Url(_) => None,
        }
    }

    /// The numbers as 64-bit floats, if the block holds as many as its extents say.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        let bytes = self.bytes()?;
        let numbers: Vec<f64> = match self.kind {
            NumberType::F32 => words(&bytes).map(|b| f64::from(f32::from_le_bytes(b))).collect(),
            NumberType::F64 => words(&bytes).map(f64::from_le_bytes).collect(),
            NumberType::U32 => words(&bytes).map(|b| f64::from(u32::from_le_bytes(b))).collect(),
        };
        (numbers.len() == self.shape.iter().product::<usize>()).then_some(numbers)
    }
}

/// CRC-32 (ISO-HDLC, as in PNG and gzip): the remainder of the bytes as a polynomial over GF(2), reflected,
/// by table.
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = {
        let mut table = [0; 256];
        let mut i = 0;
        while i < 256 {
            let mut rest = i as u32;
            let mut bit = 0;
            while bit < 8 {
                rest = if rest & 1 == 1 { rest >> 1 ^ 0xEDB8_8320 } else { rest >> 1 };
                bit += 1;
            }
            table[i] = rest;
            i += 1;
        }
        table
    };
    !bytes.iter().fold(!0, |rest, &byte| TABLE[((rest ^ u32::from(byte)) & 255) as usize] ^ rest >> 8)
}

/// The bytes in groups of `N`.
fn words<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> + '_ {
    bytes.chunks_exact(N).map(|chunk| std::array::from_fn(|i| chunk[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_bit_for_bit() {
        let values = [1.5, -0.1, 1e300];
        let block = Block::f64(&[3], values);
        assert_eq!(block.numbers().as_deref(), Some(&values[..]));
        let json = serde_json::to_string(&block).unwrap();
        assert!(json.starts_with(r#"{"type":"f64","shape":[3],"data":""#), "{json}");
        assert_eq!(serde_json::from_str::<Block>(&json).unwrap(), block);
        assert_eq!(Block::u32(&[2], [7, 9]).numbers(), Some(vec![7.0, 9.0]));
    }

    #[test]
    fn a_damaged_block_is_refused() {
        // The check value of this CRC in the catalogue of parametrised CRC algorithms.
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        let block = Block::f64(&[3], [1.5, -0.1, 1e300]);
        let Content::Data { text, crc } = &block.content else { panic!("{block:?}") };
        let spoilt = |text: String, crc| Block { content: Content::Data { text, crc }, ..block.clone() };
        // Another digit of base64: still a number, but not the one that was written.
        let other = text.replacen('A', "B", 1);
        assert_eq!(spoilt(other.clone(), *crc).numbers(), None);
        assert!(spoilt(other, None).numbers().is_some());
        assert!(serde_json::from_str::<Block>(r#"{"type":"f32","shape":[1]}"#).is_err());
        let url = Block { content: Content::Url("a".into()), ..block.clone() };
        assert_eq!(serde_json::to_string(&url).unwrap(), r#"{"type":"f64","shape":[3],"url":"a"}"#);
    }

    #[test]
    fn a_short_block_is_refused() {
        let block = Block { shape: vec![4], ..Block::f32(&[3], [1.0, 2.0, 3.0]) };
        assert_eq!(block.numbers(), None);
    }
}
