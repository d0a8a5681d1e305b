//! Text that was put together from pieces, each of which knows where it came from.

use crate::diagnostic::{Diagnostic, Span};

/// Where a piece of text comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It was copied byte for byte from there on.
    At(usize),
    /// It was made for something that stands there.
    Of(Span),
}

/// Text with the origins of its pieces.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlatText {
    pub text: String,
    /// Pieces without gaps, in order.
    pieces: Vec<(Span, Origin)>,
}

impl FlatText {
    /// Adds a piece.
    pub fn push(&mut self, text: &str, origin: Origin) {
        let start = self.text.len();
        self.text.push_str(text);
        if !text.is_empty() {
            self.pieces.push((start..self.text.len(), origin));
        }
    }

    /// The place in the source of a byte; of one that was made, the beginning or the end of its origin.
    fn byte(&self, at: usize, end: bool) -> usize {
        // An end belongs to the piece before it.
        let inside = |piece: &Span| if end { piece.end < at } else { piece.end <= at };
        let index = self.pieces.partition_point(|(piece, _)| inside(piece));
        match self.pieces.get(index).or(self.pieces.last()) {
            Some((piece, Origin::At(start))) => start + at.clamp(piece.start, piece.end) - piece.start,
            Some((_, Origin::Of(span))) if end => span.end,
            Some((_, Origin::Of(span))) => span.start,
            None => 0,
        }
    }

    /// The place in the source.
    pub fn origin(&self, span: &Span) -> Span {
        let start = self.byte(span.start, false);
        if span.is_empty() {
            return start..start;
        }
        let end = self.byte(span.end, true);
        if end >= start { start..end } else { start..start + 1 }
    }

    /// The diagnostic with its places in the source.
    pub fn locate(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        for label in diagnostic.primary.iter_mut().chain(&mut diagnostic.secondary) {
            label.span = self.origin(&label.span);
        }
        diagnostic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_again() {
        let mut flat = FlatText::default();
        flat.push("a + ", Origin::At(100));
        flat.push("(4.7*1e3)", Origin::Of(104..114));
        flat.push(" - b", Origin::At(114));
        assert_eq!(flat.origin(&(0..1)), 100..101);
        assert_eq!(flat.origin(&(5..8)), 104..114);
        assert_eq!(flat.origin(&(16..17)), 117..118);
        assert_eq!(flat.origin(&(0..17)), 100..118);
        assert_eq!(flat.origin(&(99..120)).start, 118);
        assert_eq!(FlatText::default().origin(&(3..4)), 0..0);
    }
}
