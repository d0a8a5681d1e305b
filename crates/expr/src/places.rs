//! The places of names in a list.

use std::collections::HashMap;

/// Names that are sooner compared one by one than looked up.
const FEW: usize = 12;

/// The place of each name of a list, found in a time that does not grow with the list. Of equal names the
/// first counts.
pub(crate) struct Places<'a> {
    names: Vec<(&'a str, usize)>,
    /// Empty if the names are few.
    known: HashMap<&'a str, usize>,
}

impl<'a> Places<'a> {
    /// The places in the order of the list.
    pub fn new(names: &[&'a str]) -> Self {
        Self::at(names.iter().enumerate().map(|(place, name)| (*name, place)))
    }

    /// The given places.
    pub fn at(names: impl Iterator<Item = (&'a str, usize)>) -> Self {
        let names: Vec<_> = names.collect();
        let mut known = HashMap::new();
        if names.len() > FEW {
            names.iter().for_each(|(name, place)| {
                known.entry(*name).or_insert(*place);
            });
        }
        Self { names, known }
    }

    pub fn of(&self, name: &str) -> Option<usize> {
        if self.known.is_empty() {
            return self.names.iter().find(|(other, _)| *other == name).map(|(_, place)| *place);
        }
        self.known.get(name).copied()
    }
}
