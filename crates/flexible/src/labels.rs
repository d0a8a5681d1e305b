//! Labels of nodes and elements in files, and the places of these in our lists.

use std::collections::HashMap;

/// No place.
const NONE: u32 = u32::MAX;

/// From labels to places. Labels that are not far above their number are looked up in a list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    near: Vec<u32>,
    far: HashMap<u64, u32>,
    /// The label of each place.
    all: Vec<u64>,
}

impl Labels {
    /// Gives a label the next place; `None` if it has one already.
    pub fn add(&mut self, label: u64) -> Option<usize> {
        let place = self.all.len();
        let number = u32::try_from(place).ok().filter(|number| *number != NONE)?;
        let limit = 2 * place as u64 + 1024;
        if self.place(label).is_some() {
            return None;
        }
        match usize::try_from(label) {
            Ok(near) if label < limit || near < self.near.len() => {
                if near >= self.near.len() {
                    self.near.resize(near + 1, NONE);
                }
                self.near[near] = number;
            }
            _ => {
                self.far.insert(label, number);
            }
        }
        self.all.push(label);
        Some(place)
    }

    /// The place of a label.
    pub fn place(&self, label: u64) -> Option<usize> {
        let near = usize::try_from(label).ok().and_then(|k| self.near.get(k)).filter(|place| **place != NONE);
        near.or_else(|| self.far.get(&label)).map(|place| *place as usize)
    }

    /// The labels, in the order of their places.
    pub fn all(&self) -> &[u64] {
        &self.all
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }
}
