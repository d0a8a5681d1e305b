//! A model file in pieces, so that pieces can be left out.

use std::fmt::Write;

/// What of a piece is compared between runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Watched {
    Nothing,
    /// Place and orientation of a body.
    Body,
    /// Place of a point mass.
    Point,
    /// Place of the end of a beam.
    Beam,
    /// Variables of a block of equations.
    Variables(Vec<String>),
}

/// One table of the file.
#[derive(Clone, Debug)]
pub struct Piece {
    pub name: String,
    /// What it is, as the statistics call it.
    pub kind: &'static str,
    /// Names of the pieces that it refers to.
    pub needs: Vec<String>,
    pub text: String,
    pub watched: Watched,
}

/// A drawn model without its study.
#[derive(Clone, Debug)]
pub struct Mechanism {
    pub seed: u64,
    pub head: String,
    pub pieces: Vec<Piece>,
    /// Length of the study (s).
    pub end: f64,
    /// Usual distance in the model (m).
    pub length: f64,
    /// The fastest of its motions (rad/s), about.
    pub fastest: f64,
}

/// Rows that every run records after the start, all at the same times.
pub const ROWS: usize = 12;

impl Mechanism {
    /// The file, with a study and a small addition to all velocities at the start.
    pub fn text(&self, study: &str, nudge: f64) -> String {
        let mut text = format!("{}\n[parameters]\nnudge = {nudge:e}\n\n", self.head);
        for piece in &self.pieces {
            let _ = writeln!(text, "{}", piece.text);
        }
        let _ = writeln!(text, "[study]\nend = {:?}\noutput_step = {:?}\n{study}", self.end, self.row());
        for (k, value) in self.signals().iter().enumerate() {
            let _ = writeln!(text, "[[signal]]\nname = \"s{k}\"\nvalue = \"{value}\"");
        }
        text
    }

    /// Time between rows (s).
    pub fn row(&self) -> f64 {
        self.end / ROWS as f64
    }

    /// What is recorded, in the order of the pieces.
    fn signals(&self) -> Vec<String> {
        let xyz = |of: &str| ["x", "y", "z"].map(|c| format!("{of}.{c}")).to_vec();
        let of = |piece: &Piece| {
            let name = &piece.name;
            match &piece.watched {
                Watched::Nothing => vec![],
                Watched::Point => xyz(&format!("{name}.position")),
                Watched::Body => {
                    [xyz(&format!("{name}.position")), xyz(&format!("{name}.rotation_vector"))].concat()
                }
                Watched::Beam => xyz(&format!("{name}.end.position")),
                Watched::Variables(names) => names.iter().map(|v| format!("{name}.{v}")).collect(),
            }
        };
        self.pieces.iter().flat_map(of).collect()
    }

    /// Whether there is a piece of this kind.
    pub fn has(&self, kind: &str) -> bool {
        self.pieces.iter().any(|piece| piece.kind == kind)
    }

    /// The mechanism without a piece and all that needs it; nothing if nothing to watch is left.
    pub fn without(&self, name: &str) -> Option<Mechanism> {
        let mut gone = vec![name.to_string()];
        let mut pieces = vec![];
        for piece in &self.pieces {
            if gone.contains(&piece.name) || piece.needs.iter().any(|need| gone.contains(need)) {
                gone.push(piece.name.clone());
            } else {
                pieces.push(piece.clone());
            }
        }
        let watched = pieces.iter().any(|piece| piece.watched != Watched::Nothing);
        watched.then(|| Mechanism { pieces, ..self.clone() })
    }

    /// The kinds of its pieces, each once.
    pub fn kinds(&self) -> Vec<&'static str> {
        let mut kinds: Vec<&str> = self.pieces.iter().map(|piece| piece.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}
