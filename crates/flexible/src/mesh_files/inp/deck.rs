//! What an input file says: keywords begin blocks of data, and at the end everything is put together.

use super::element_types;
use super::line::{Keyword, Line, plain};
use super::materials::*;
use super::sets::{Member, Sets, Spot};
use crate::file_error::{Fault, FileError, Place, Remark};
use crate::labels::Labels;
use crate::mesh_files::cells::{CellMesh, FinishedMesh, Shape};
use crate::mesh_files::{ElementType, MeshInput};
use poinsot_geometry::{Mat3, Vec3};

/// Keywords that would change the mesh and are not read.
const REFUSED: [(&str, &str); 13] = [
    ("SYSTEM", "write the coordinates of nodes in one system"),
    ("NGEN", "write the nodes out"),
    ("NFILL", "write the nodes out"),
    ("NCOPY", "write the nodes out"),
    ("NMAP", "write the nodes out"),
    ("ELGEN", "write the elements out"),
    ("ELCOPY", "write the elements out"),
    ("SUBSTRUCTUREPROPERTY", "give the matrices instead"),
    ("SHELLGENERALSECTION", "use *SHELL SECTION with a material"),
    ("BEAMGENERALSECTION", "use *BEAM SECTION with a material"),
    ("MATRIXINPUT", "give the file of matrices itself"),
    ("PARAMETER", "write the values out"),
    ("MODELCHANGE", "leave out what is removed"),
];

/// Keywords that begin and end parts, and texts: nothing is lost with them.
const SILENT: [&str; 10] = [
    "HEADING",
    "PREPRINT",
    "PART",
    "ENDPART",
    "ASSEMBLY",
    "ENDASSEMBLY",
    "INSTANCE",
    "ENDINSTANCE",
    "ENDSTEP",
    "STEP",
];

/// What lines of data belong to.
#[derive(Default)]
enum Block {
    #[default]
    Other,
    Nodes {
        set: Option<usize>,
        first: u32,
    },
    Elements {
        kind: u32,
        set: Option<usize>,
        first: u32,
    },
    NodeSet {
        set: usize,
        generate: bool,
    },
    ElementSet {
        set: usize,
        generate: bool,
    },
    Elastic {
        kind: ElasticType,
        spot: Spot,
        numbers: Vec<Vec<f64>>,
    },
    Density {
        numbers: Vec<Vec<f64>>,
    },
    Section {
        numbers: Vec<Vec<f64>>,
    },
    Orientation {
        name: String,
        spot: Spot,
        numbers: Vec<Vec<f64>>,
    },
    Instance,
}

struct Element {
    kind: u32,
    /// Where the labels of its nodes begin.
    start: usize,
    spot: Spot,
}

struct Section {
    group: String,
    spot: Spot,
    material: String,
    orientation: Option<String>,
    kind: SectionKind,
}

/// Axes of a section, and its cells.
type SectionCells = (Option<Mat3>, Vec<u32>);

#[derive(Default)]
pub(super) struct Deck {
    sources: Vec<String>,
    block: Block,
    nodes: Labels,
    places: Vec<Vec3>,
    /// Types of elements by name.
    kinds: Vec<(String, Shape)>,
    element_labels: Labels,
    elements: Vec<Element>,
    /// Labels of the nodes of all elements.
    connections: Vec<u64>,
    node_sets: Sets,
    element_sets: Sets,
    materials: Vec<MaterialData>,
    sections: Vec<Section>,
    orientations: Vec<(String, Mat3)>,
    parts: usize,
    instances: usize,
    /// Keywords that are not read, with the place of the first and their number.
    ignored: Vec<(String, Spot, usize)>,
    remarks: Vec<Remark>,
}

impl Deck {
    /// Notes a file.
    pub fn source(&mut self, file: &str) -> u32 {
        self.sources.push(file.to_owned());
        (self.sources.len() - 1) as u32
    }

    fn error(&self, spot: Spot, fault: Fault) -> FileError {
        let place = Place::Text { line: spot.line as usize, column: spot.column as usize };
        FileError { file: self.sources[spot.source as usize].clone(), place, fault }
    }

    /// Begins what a keyword begins.
    pub fn begin(&mut self, keyword: &Keyword<'_>, source: u32) -> Result<(), FileError> {
        let spot = Spot { source, line: keyword.line.number as u32, column: 1 };
        if let Some((_, help)) = REFUSED.iter().find(|(name, _)| *name == keyword.name) {
            return Err(keyword.unsupported(format!("`{}`", keyword.written), help));
        }
        self.block = match keyword.name.as_str() {
            "NODE" => self.begin_nodes(keyword)?,
            "ELEMENT" => self.begin_elements(keyword)?,
            "NSET" => self.begin_node_set(keyword)?,
            "ELSET" => {
                let set = self.element_sets.get(keyword.required("ELSET")?);
                Block::ElementSet { set, generate: keyword.parameter("GENERATE").is_some() }
            }
            "MATERIAL" => {
                let name = keyword.required("NAME")?;
                if self.materials.iter().any(|material| plain(&material.name) == plain(name)) {
                    return Err(keyword.error(Fault::Twice { what: "material", label: name.to_owned() }));
                }
                self.materials.push(MaterialData { name: name.to_owned(), density: None, elastic: None });
                Block::Other
            }
            "ELASTIC" => self.begin_elastic(keyword, spot)?,
            "DENSITY" => {
                self.material(keyword)?;
                Block::Density { numbers: vec![] }
            }
            "SOLIDSECTION" | "SHELLSECTION" | "MEMBRANESECTION" | "BEAMSECTION" => {
                self.begin_section(keyword, spot)?
            }
            "ORIENTATION" => begin_orientation(keyword, spot)?,
            "PART" | "INSTANCE" => self.begin_instance(keyword)?,
            name if SILENT.contains(&name) => Block::Other,
            _ => {
                self.ignore(keyword, spot);
                Block::Other
            }
        };
        Ok(())
    }

    fn begin_nodes(&mut self, keyword: &Keyword<'_>) -> Result<Block, FileError> {
        if keyword.parameter("SYSTEM").is_some_and(|system| plain(system) != "R") {
            return Err(keyword.unsupported("a system of coordinates of nodes", "write them rectangular"));
        }
        let set = keyword.parameter("NSET").map(|name| self.node_sets.get(name));
        Ok(Block::Nodes { set, first: self.nodes.len() as u32 })
    }

    fn begin_elements(&mut self, keyword: &Keyword<'_>) -> Result<Block, FileError> {
        let name = plain(keyword.required("TYPE")?);
        let known = self.kinds.iter().position(|(kind, _)| *kind == name);
        let kind = match known {
            Some(kind) => kind,
            None => {
                let help = "use C3D4, C3D10, C3D8, C3D20, C3D6, C3D15, S3, S4, S6, S8, CPS…, CPE…, B31 or T3D2; \
                            masses, springs and couplings belong into the model file";
                let what = format!("an element of type `{name}`");
                let shape = element_types::shape(&name).ok_or_else(|| keyword.unsupported(what, help))?;
                self.kinds.push((name, shape));
                self.kinds.len() - 1
            }
        };
        let set = keyword.parameter("ELSET").map(|name| self.element_sets.get(name));
        Ok(Block::Elements { kind: kind as u32, set, first: self.elements.len() as u32 })
    }

    fn begin_node_set(&mut self, keyword: &Keyword<'_>) -> Result<Block, FileError> {
        let set = self.node_sets.get(keyword.required("NSET")?);
        if let Some(name) = keyword.parameter("ELSET") {
            let unknown =
                || keyword.error(Fault::Unknown { what: "the set of elements", label: name.to_owned() });
            let elements = self.element_sets.find(name).ok_or_else(unknown)?;
            self.node_sets.0[set].members.push(Member::NodesOf(elements));
        }
        Ok(Block::NodeSet { set, generate: keyword.parameter("GENERATE").is_some() })
    }

    /// The material that is being described.
    fn material(&mut self, keyword: &Keyword<'_>) -> Result<&mut MaterialData, FileError> {
        let none =
            || Fault::Unexpected { found: keyword.written.clone(), expected: "*MATERIAL before it".into() };
        self.materials.last_mut().ok_or_else(|| keyword.error(none()))
    }

    fn begin_elastic(&mut self, keyword: &Keyword<'_>, spot: Spot) -> Result<Block, FileError> {
        self.material(keyword)?;
        let name = plain(keyword.parameter("TYPE").unwrap_or_default());
        let help = "use ISOTROPIC, ORTHO, ENGINEERING CONSTANTS or ANISOTROPIC";
        let what = || format!("elasticity of type `{name}`");
        let kind = ElasticType::named(&name).ok_or_else(|| keyword.unsupported(what(), help))?;
        Ok(Block::Elastic { kind, spot, numbers: vec![] })
    }

    fn begin_section(&mut self, keyword: &Keyword<'_>, spot: Spot) -> Result<Block, FileError> {
        if keyword.parameter("COMPOSITE").is_some() {
            return Err(keyword.unsupported("a section of layers", "give the matrices of the body instead"));
        }
        let kind = match keyword.name.as_str() {
            "SOLIDSECTION" => SectionKind::Solid { size: None },
            "BEAMSECTION" => {
                let shape = plain(keyword.required("SECTION")?);
                SectionKind::Beam(BeamData { shape, dimensions: vec![], axis: None })
            }
            _ => SectionKind::Shell { thickness: 0.0 },
        };
        self.sections.push(Section {
            group: keyword.required("ELSET")?.to_owned(),
            spot,
            material: keyword.required("MATERIAL")?.to_owned(),
            orientation: keyword.parameter("ORIENTATION").map(str::to_owned),
            kind,
        });
        Ok(Block::Section { numbers: vec![] })
    }

    fn begin_instance(&mut self, keyword: &Keyword<'_>) -> Result<Block, FileError> {
        let part = keyword.name == "PART";
        let count = if part { &mut self.parts } else { &mut self.instances };
        *count += 1;
        if *count > 1 {
            let help =
                "write one part, or no parts at all (Abaqus/CAE: model attribute noPartsInputFile = ON)";
            return Err(keyword.unsupported("a second part or instance", help));
        }
        Ok(if part { Block::Other } else { Block::Instance })
    }

    fn ignore(&mut self, keyword: &Keyword<'_>, spot: Spot) {
        match self.ignored.iter_mut().find(|(name, ..)| plain(name) == plain(&keyword.written)) {
            Some((.., count)) => *count += 1,
            None => self.ignored.push((keyword.written.clone(), spot, 1)),
        }
    }

    /// Takes a line of data.
    pub fn data(&mut self, line: &Line<'_>, source: u32) -> Result<(), FileError> {
        match &mut self.block {
            Block::Other => Ok(()),
            Block::Nodes { .. } => self.node(line),
            Block::Elements { .. } => self.element(line, source),
            &mut Block::NodeSet { set, generate } => {
                members(&mut self.node_sets, "the set of nodes", set, generate, line, source)
            }
            &mut Block::ElementSet { set, generate } => {
                members(&mut self.element_sets, "the set of elements", set, generate, line, source)
            }
            Block::Elastic { numbers, .. }
            | Block::Density { numbers }
            | Block::Section { numbers }
            | Block::Orientation { numbers, .. } => {
                let reals = line.fields().map(|field| line.real(field, "a number"));
                numbers.push(reals.collect::<Result<_, _>>()?);
                Ok(())
            }
            Block::Instance => {
                let help = "put the part where it is meant: without translation and rotation of the instance";
                let what = "an instance that is moved".to_owned();
                Err(line.error(0, Fault::Unsupported { what, help: help.to_owned() }))
            }
        }
    }

    /// `label, x, y, z`; what is missing is zero.
    fn node(&mut self, line: &Line<'_>) -> Result<(), FileError> {
        let mut fields = line.fields();
        let Some(first) = fields.next() else { return Ok(()) };
        let label = line.label(first, "the label of a node")?;
        let mut place = Vec3::zeros();
        for (x, field) in place.iter_mut().zip(fields) {
            *x = line.real(field, "a coordinate")?;
        }
        let twice = || line.error(first.start, Fault::Twice { what: "node", label: label.to_string() });
        self.nodes.add(label).ok_or_else(twice)?;
        self.places.push(place);
        Ok(())
    }

    /// `label, node, node, …`, over as many lines as are needed.
    fn element(&mut self, line: &Line<'_>, source: u32) -> Result<(), FileError> {
        let &mut Block::Elements { kind, first, .. } = &mut self.block else { return Ok(()) };
        let needed = self.kinds[kind as usize].1.nodes();
        for field in line.fields().filter(|field| !field.text.is_empty()) {
            let begun = self.elements.len() > first as usize;
            let open = self
                .elements
                .last()
                .filter(|_| begun)
                .map_or(0, |last| last.start + needed - self.connections.len());
            if open > 0 {
                self.connections.push(line.label(field, "the label of a node")?);
                continue;
            }
            let label = line.label(field, "the label of an element")?;
            let twice =
                || line.error(field.start, Fault::Twice { what: "element", label: label.to_string() });
            self.element_labels.add(label).ok_or_else(twice)?;
            let spot = Spot { source, line: line.number as u32, column: field.start as u32 + 1 };
            self.elements.push(Element { kind, start: self.connections.len(), spot });
        }
        Ok(())
    }

    /// Ends the block of data that is open.
    pub fn end_block(&mut self) -> Result<(), FileError> {
        match std::mem::take(&mut self.block) {
            Block::Nodes { set: Some(set), first } => {
                let defined = Member::Defined(first..self.nodes.len() as u32);
                self.node_sets.0[set].members.push(defined);
            }
            Block::Elements { kind, set, first } => self.end_elements(kind, set, first)?,
            Block::Elastic { kind, spot, numbers } => self.end_elastic(kind, spot, &numbers)?,
            Block::Density { numbers } => {
                if let (Some(material), Some(line)) = (self.materials.last_mut(), numbers.first()) {
                    material.density = line.first().copied();
                }
            }
            Block::Section { numbers } => self.end_section(&numbers),
            Block::Orientation { name, spot, numbers } => self.end_orientation(name, spot, &numbers)?,
            _ => {}
        }
        Ok(())
    }

    fn end_elements(&mut self, kind: u32, set: Option<usize>, first: u32) -> Result<(), FileError> {
        let (name, shape) = &self.kinds[kind as usize];
        let here = self.elements.get(first as usize..).unwrap_or_default();
        if let Some(last) = here.last()
            && self.connections.len() < last.start + shape.nodes()
        {
            let (found, needed) = (self.connections.len() - last.start, shape.nodes());
            let text = format!("the element has {found} nodes, one of type {name} has {needed}");
            return Err(self.error(last.spot, Fault::Inconsistent(text)));
        }
        if let Some(set) = set {
            let defined = Member::Defined(first..self.elements.len() as u32);
            self.element_sets.0[set].members.push(defined);
        }
        Ok(())
    }

    fn end_elastic(&mut self, kind: ElasticType, spot: Spot, lines: &[Vec<f64>]) -> Result<(), FileError> {
        // Constants of one temperature go on from line to line until all are there; the temperature follows.
        let mut numbers = vec![];
        let mut used = 0;
        while numbers.len() < kind.count() {
            let Some(line) = lines.get(used) else {
                let text = format!("*ELASTIC has {} constants, it needs {}", numbers.len(), kind.count());
                return Err(self.error(spot, Fault::Inconsistent(text)));
            };
            numbers.extend(line);
            used += 1;
        }
        if let Some(material) = self.materials.last_mut() {
            material.elastic = Some(kind.data(&numbers));
            if lines.len() > used {
                let text = format!("of material `{}` only the first temperature is used", material.name);
                self.remark(spot, text);
            }
        }
        Ok(())
    }

    fn end_section(&mut self, lines: &[Vec<f64>]) {
        let Some(section) = self.sections.last_mut() else { return };
        let first = lines.first().and_then(|line| line.first()).copied();
        match &mut section.kind {
            SectionKind::Solid { size } => *size = first,
            SectionKind::Shell { thickness } => *thickness = first.unwrap_or(0.0),
            SectionKind::Beam(beam) => {
                beam.dimensions = lines.first().cloned().unwrap_or_default();
                let axis = lines.get(1).filter(|line| line.len() >= 3);
                beam.axis = axis.map(|line| Vec3::new(line[0], line[1], line[2]));
            }
        }
    }

    fn end_orientation(&mut self, name: String, spot: Spot, lines: &[Vec<f64>]) -> Result<(), FileError> {
        let points = lines.first().filter(|line| line.len() >= 6);
        let turn = lines.get(1).filter(|line| line.len() >= 2 && [1.0, 2.0, 3.0].contains(&line[0]));
        let turn = turn.map(|line| (line[0] as usize - 1, line[1]));
        let axes =
            points.and_then(|p| orientation(Vec3::new(p[0], p[1], p[2]), Vec3::new(p[3], p[4], p[5]), turn));
        let fault = || Fault::Inconsistent("the two points of the orientation do not give axes".into());
        self.orientations.push((plain(&name), axes.ok_or_else(|| self.error(spot, fault()))?));
        Ok(())
    }

    fn remark(&mut self, spot: Spot, text: String) {
        let file = self.sources[spot.source as usize].clone();
        self.remarks.push(Remark { file, line: Some(spot.line as usize), text });
    }

    /// Puts everything together.
    pub fn finish(mut self, file: &str) -> Result<MeshInput, FileError> {
        let mut cells = self.cells()?;
        self.groups(&mut cells)?;
        let sections = self.section_cells(&mut cells)?;
        for (name, spot, count) in std::mem::take(&mut self.ignored) {
            let times = if count > 1 { format!(", {count} times") } else { String::new() };
            self.remark(spot, format!("`{name}` is not read{times}"));
        }
        let finished = cells.finish(file)?;
        let node_labels = finished.node_labels(self.nodes.all());
        let FinishedMesh { mesh, element_of_cell, remarks, .. } = finished;
        let mut types: Vec<ElementType> =
            self.kinds.iter().map(|(name, _)| ElementType { name: name.clone(), elements: vec![] }).collect();
        for (element, place) in self.elements.iter().zip(&element_of_cell) {
            types[element.kind as usize].elements.extend(place);
        }
        types.retain(|kind| !kind.elements.is_empty());
        let sections = self.sections.into_iter().zip(sections).map(|(section, (axes, cells))| SectionData {
            group: section.group,
            elements: cells.iter().filter_map(|cell| element_of_cell[*cell as usize]).collect(),
            material: section.material,
            axes,
            kind: section.kind,
        });
        let sections = sections.collect();
        self.remarks.extend(remarks);
        let (materials, remarks) = (self.materials, self.remarks);
        Ok(MeshInput { mesh, node_labels, types, materials, sections, remarks })
    }

    fn cells(&mut self) -> Result<CellMesh, FileError> {
        let mut cells = CellMesh::new(std::mem::take(&mut self.places));
        let mut nodes = vec![];
        for element in &self.elements {
            let shape = self.kinds[element.kind as usize].1;
            nodes.clear();
            for label in &self.connections[element.start..element.start + shape.nodes()] {
                let unknown = || Fault::Unknown { what: "node", label: label.to_string() };
                let place = self.nodes.place(*label).ok_or_else(|| self.error(element.spot, unknown()))?;
                nodes.push(place as u32);
            }
            cells.add(shape, nodes.iter().copied());
        }
        Ok(cells)
    }

    /// Sets as groups. A set of nodes and one of elements with the same name are one group.
    fn groups(&self, cells: &mut CellMesh) -> Result<(), FileError> {
        for set in 0..self.element_sets.0.len() {
            let members = self.members(&self.element_sets, &self.element_labels, set, "element")?;
            let name = self.element_sets.0[set].name.clone();
            cells.group(&name).cells = members;
        }
        for (k, set) in self.node_sets.0.iter().enumerate() {
            let mut members = self.members(&self.node_sets, &self.nodes, k, "node")?;
            for part in self.node_sets.closure(k) {
                for member in &self.node_sets.0[part].members {
                    let Member::NodesOf(elements) = member else { continue };
                    let list =
                        self.members(&self.element_sets, &self.element_labels, *elements, "element")?;
                    list.iter().for_each(|cell| members.extend(cells.nodes(*cell as usize)));
                }
            }
            let same = self.element_sets.find(&set.name).map(|k| self.element_sets.0[k].name.clone());
            cells.group(same.as_deref().unwrap_or(&set.name)).nodes = members;
        }
        Ok(())
    }

    /// Places of all that is in a set.
    fn members(
        &self,
        sets: &Sets,
        labels: &Labels,
        set: usize,
        what: &'static str,
    ) -> Result<Vec<u32>, FileError> {
        let mut places = vec![];
        for part in sets.closure(set) {
            for member in &sets.0[part].members {
                match member {
                    Member::Label(label, spot) => {
                        let unknown = || self.error(*spot, Fault::Unknown { what, label: label.to_string() });
                        places.push(labels.place(*label).ok_or_else(unknown)? as u32);
                    }
                    &Member::Generated { first, last, step } => {
                        let found = (0u32..).zip(labels.all());
                        let inside = |label: u64| {
                            (first..=last).contains(&label) && (label - first).is_multiple_of(step)
                        };
                        places.extend(found.filter(|(_, label)| inside(**label)).map(|(place, _)| place));
                    }
                    Member::Defined(range) => places.extend(range.clone()),
                    Member::Set(_) | Member::NodesOf(_) => {}
                }
            }
        }
        places.sort_unstable();
        places.dedup();
        Ok(places)
    }

    /// Axes and cells of each section; its cells are a part of the structure.
    fn section_cells(&self, cells: &mut CellMesh) -> Result<Vec<SectionCells>, FileError> {
        let mut sections = vec![];
        for section in &self.sections {
            let unknown =
                |what, label: &str| self.error(section.spot, Fault::Unknown { what, label: label.into() });
            let set = self.element_sets.find(&section.group);
            let set = set.ok_or_else(|| unknown("the set of elements", &section.group))?;
            let members = self.members(&self.element_sets, &self.element_labels, set, "element")?;
            if !self.materials.iter().any(|material| plain(&material.name) == plain(&section.material)) {
                return Err(unknown("material", &section.material));
            }
            let axes = section.orientation.as_ref().map(|name| {
                let found = self.orientations.iter().find(|(known, _)| *known == plain(name));
                found.map(|(_, axes)| *axes).ok_or_else(|| unknown("orientation", name))
            });
            members.iter().for_each(|cell| cells.declare(*cell as usize));
            sections.push((axes.transpose()?, members));
        }
        Ok(sections)
    }
}

fn begin_orientation(keyword: &Keyword<'_>, spot: Spot) -> Result<Block, FileError> {
    let name = keyword.required("NAME")?.to_owned();
    let system = plain(keyword.parameter("SYSTEM").unwrap_or("RECTANGULAR"));
    let coordinates = plain(keyword.parameter("DEFINITION").unwrap_or("COORDINATES"));
    if system != "RECTANGULAR" || coordinates != "COORDINATES" {
        let help = "give SYSTEM=RECTANGULAR and the coordinates of two points";
        return Err(keyword.unsupported("such an orientation", help));
    }
    Ok(Block::Orientation { name, spot, numbers: vec![] })
}

/// A line of a set: labels, names of sets, or with `generate` first, last and step.
fn members(
    sets: &mut Sets,
    what: &'static str,
    set: usize,
    generate: bool,
    line: &Line<'_>,
    source: u32,
) -> Result<(), FileError> {
    let label = "a label";
    if generate {
        let mut fields = line.fields();
        let Some(start) = fields.next() else { return Ok(()) };
        let first = line.label(start, label)?;
        let last = fields.next().map_or(Ok(first), |field| line.label(field, label))?;
        let step = fields.next().map_or(Ok(1), |field| line.label(field, "a step"))?.max(1);
        sets.0[set].members.push(Member::Generated { first, last, step });
        return Ok(());
    }
    for field in line.fields().filter(|field| !field.text.is_empty()) {
        let starts_as_number = field.text[0].is_ascii_digit();
        if let Ok(number) = line.label(field, label) {
            let spot = Spot { source, line: line.number as u32, column: field.start as u32 + 1 };
            sets.0[set].members.push(Member::Label(number, spot));
        } else if starts_as_number {
            return Err(line.unexpected(field, "a label or the name of a set"));
        } else {
            let name = String::from_utf8_lossy(field.text);
            let unknown =
                || line.error(field.start, Fault::Unknown { what, label: name.clone().into_owned() });
            let other = sets.find(name.trim_matches('"')).ok_or_else(unknown)?;
            sets.0[set].members.push(Member::Set(other));
        }
    }
    Ok(())
}
