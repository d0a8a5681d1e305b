//! The `.inp` of Abaqus and CalculiX: nodes, elements, sets, materials and sections.
//!
//! Keywords that say nothing about these are told as remarks. What would change the mesh and is not read
//! (generated nodes, other coordinates, several instances) is refused.

mod deck;
mod element_types;
mod line;
mod materials;
mod sets;

pub use materials::{BeamData, ElasticData, MaterialData, SectionData, SectionKind};

use super::MeshInput;
use crate::file_error::{Fault, FileError};
use deck::Deck;
use line::{Keyword, Lines};
use std::error::Error;

/// How deep files may include each other, and how many there may be.
const DEEPEST: usize = 16;
const MOST_FILES: usize = 1000;

/// Gives the content of a file that another one includes, or says why not.
pub type Include<'a> = dyn FnMut(&str) -> Result<Vec<u8>, Box<dyn Error>> + 'a;

/// Reads an input file of Abaqus or CalculiX. `include` is asked for the files that it includes.
pub fn read_inp(file: &str, bytes: &[u8], include: &mut Include<'_>) -> Result<MeshInput, FileError> {
    let mut deck = Deck::default();
    let mut reader = Reader { include, files: 0 };
    reader.read(&mut deck, file, bytes, 0)?;
    deck.end_block()?;
    deck.finish(file)
}

struct Reader<'a, 'i> {
    include: &'a mut Include<'i>,
    files: usize,
}

impl Reader<'_, '_> {
    /// Reads a file as if its text stood where it is included.
    fn read(&mut self, deck: &mut Deck, file: &str, bytes: &[u8], depth: usize) -> Result<(), FileError> {
        let mut lines = Lines::new(file, bytes);
        let source = deck.source(file);
        while let Some(line) = lines.next() {
            if !line.is_keyword() {
                deck.data(&line, source)?;
                continue;
            }
            let keyword = Keyword::parse(line, &mut lines);
            if keyword.name == "INCLUDE" {
                self.include(deck, &keyword, depth)?;
            } else {
                deck.end_block()?;
                deck.begin(&keyword, source)?;
            }
        }
        Ok(())
    }

    fn include(&mut self, deck: &mut Deck, keyword: &Keyword<'_>, depth: usize) -> Result<(), FileError> {
        let name = keyword.required("INPUT")?;
        self.files += 1;
        if depth >= DEEPEST || self.files > MOST_FILES {
            let help = "look for a file that includes itself";
            return Err(keyword.unsupported("a chain of so many included files", help));
        }
        let content = (self.include)(name);
        let refused = |error: Box<dyn Error>| {
            keyword.error(Fault::Include { name: name.to_owned(), reason: error.to_string() })
        };
        let bytes = content.map_err(refused)?;
        self.read(deck, name, &bytes, depth + 1)
    }
}
