//! Sets of nodes and of elements.

use std::ops::Range;

/// Where something is said.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// Which of the files.
    pub source: u32,
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Debug)]
pub(super) enum Member {
    /// A label.
    Label(u64, Spot),
    /// Labels from the first to the last in steps; not all need to be there.
    Generated { first: u64, last: u64, step: u64 },
    /// What was defined from one place in the lists to another.
    Defined(Range<u32>),
    /// Another set of the same kind.
    Set(usize),
    /// Nodes of a set of elements.
    NodesOf(usize),
}

/// A set.
#[derive(Clone, Debug)]
pub(super) struct Set {
    /// As it was first written.
    pub name: String,
    /// Name by which it is found.
    pub key: String,
    pub members: Vec<Member>,
}

/// Sets of a kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Sets(pub Vec<Set>);

impl Sets {
    pub fn find(&self, name: &str) -> Option<usize> {
        let key = super::line::plain(name);
        self.0.iter().position(|set| set.key == key)
    }

    /// The set of a name, a new one if there is none.
    pub fn get(&mut self, name: &str) -> usize {
        self.find(name).unwrap_or_else(|| {
            let set = Set { name: name.to_owned(), key: super::line::plain(name), members: vec![] };
            self.0.push(set);
            self.0.len() - 1
        })
    }

    /// The sets that a set consists of, itself among them, each once.
    pub fn closure(&self, set: usize) -> Vec<usize> {
        let mut found = vec![set];
        let mut next = 0;
        while let Some(&set) = found.get(next) {
            for member in &self.0[set].members {
                if let Member::Set(other) = member
                    && !found.contains(other)
                {
                    found.push(*other);
                }
            }
            next += 1;
        }
        found
    }
}
