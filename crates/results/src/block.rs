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
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// Here, as base64.
    Data(String),
    /// At an address, as bytes.
    Url(String),
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
        Block { kind, shape: shape.to_vec(), content: Content::Data(STANDARD.encode(bytes)) }
    }

    /// The bytes of a block that holds them.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match &self.content {
            Content::Data(text) => STANDARD.decode(text).ok(),
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
    fn a_short_block_is_refused() {
        let block = Block { shape: vec![4], ..Block::f32(&[3], [1.0, 2.0, 3.0]) };
        assert_eq!(block.numbers(), None);
    }
}
