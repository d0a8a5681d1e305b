//! Numbers and texts as bytes, to the last bit: what checkpoints are written in.

/// Collects values as bytes, little-endian.
#[derive(Clone, Debug, Default)]
pub struct Encoder(Vec<u8>);

impl Encoder {
    /// An empty one.
    pub fn new() -> Self {
        Encoder::default()
    }

    /// The bytes so far.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// A count.
    pub fn count(&mut self, n: usize) {
        self.0.extend((n as u64).to_le_bytes());
    }

    /// A number.
    pub fn number(&mut self, x: f64) {
        self.0.extend(x.to_bits().to_le_bytes());
    }

    /// A list of numbers.
    pub fn numbers(&mut self, x: &[f64]) {
        self.count(x.len());
        x.iter().for_each(|x| self.number(*x));
    }

    /// A text.
    pub fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Bytes of another kind.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend_from_slice(bytes);
    }

    /// A number that may be missing.
    pub fn optional(&mut self, x: Option<f64>) {
        self.count(usize::from(x.is_some()));
        self.number(x.unwrap_or(0.0));
    }

    /// A list of anything.
    pub fn list<T>(&mut self, list: &[T], mut one: impl FnMut(&mut Self, &T)) {
        self.count(list.len());
        list.iter().for_each(|item| one(self, item));
    }
}

/// Takes values out of bytes in the order in which they were put in; `None` where the bytes end too early or
/// make no sense.
#[derive(Clone, Debug)]
pub struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Decoder(bytes)
    }

    /// Whether all bytes have been taken.
    pub fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }

    fn eight(&mut self) -> Option<[u8; 8]> {
        let (eight, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(*eight)
    }

    /// A count.
    pub fn count(&mut self) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(self.eight()?)).ok()
    }

    /// The length of a list whose items have at least `size` bytes each.
    fn length(&mut self, size: usize) -> Option<usize> {
        self.count().filter(|n| n.checked_mul(size).is_some_and(|bytes| bytes <= self.0.len()))
    }

    /// A number.
    pub fn number(&mut self) -> Option<f64> {
        Some(f64::from_bits(u64::from_le_bytes(self.eight()?)))
    }

    /// A list of numbers.
    pub fn numbers(&mut self) -> Option<Vec<f64>> {
        let n = self.length(8)?;
        (0..n).map(|_| self.number()).collect()
    }

    /// A text.
    pub fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    /// Bytes of another kind.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let n = self.length(1)?;
        let (bytes, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(bytes)
    }

    /// A number that may be missing.
    pub fn optional(&mut self) -> Option<Option<f64>> {
        let there = self.count()? != 0;
        let x = self.number()?;
        Some(there.then_some(x))
    }

    /// A list of anything.
    pub fn list<T>(&mut self, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let n = self.length(1)?;
        (0..n).map(|_| one(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_bit_for_bit_and_short_bytes_are_refused() {
        let mut e = Encoder::new();
        e.count(7);
        e.numbers(&[-0.0, f64::NAN, 1.0 / 3.0]);
        e.text("Φ");
        e.optional(None);
        e.list(&[(1, 2)], |e, (a, b)| {
            e.count(*a);
            e.count(*b);
        });
        let bytes = e.into_bytes();
        let read = |bytes: &[u8]| {
            let mut d = Decoder::new(bytes);
            let out = (
                d.count()?,
                d.numbers()?,
                d.text()?,
                d.optional()?,
                d.list(|d| Some((d.count()?, d.count()?)))?,
            );
            d.is_at_end().then_some(out)
        };
        let (n, x, text, none, list) = read(&bytes).unwrap();
        assert_eq!((n, text.as_str(), none, list), (7, "Φ", None, vec![(1, 2)]));
        assert_eq!(
            x.iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
            [-0.0, f64::NAN, 1.0 / 3.0].map(f64::to_bits)
        );
        for n in 0..bytes.len() {
            assert!(read(&bytes[..n]).is_none());
        }
        let mut huge = Encoder::new();
        huge.count(usize::MAX);
        assert!(Decoder::new(&huge.into_bytes()).numbers().is_none());
    }
}
