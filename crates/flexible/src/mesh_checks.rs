//! Whether a mesh with sections can be a body.

use crate::elements::GeometryFault;
use crate::error::MeshPart;
use crate::{FlexibleError, Mesh, SectionOf};
use poinsot_geometry::Vec3;

/// The section of each element, after everything has been checked.
pub(crate) fn sections_of_elements(
    mesh: &Mesh,
    sections: &[SectionOf],
) -> Result<Vec<Option<usize>>, FlexibleError> {
    check_indices(mesh)?;
    sections.iter().try_for_each(|section| section.section.check())?;
    let of = distribute(mesh, sections)?;
    check_shapes(mesh, sections, &of)?;
    check_loose_nodes(mesh, &of)?;
    check_repeated_nodes(mesh)?;
    check_connected(mesh, &of)?;
    Ok(of)
}

/// Names of the groups that an element is in.
fn groups(mesh: &Mesh, element: usize) -> Vec<String> {
    let groups = mesh.groups.iter().filter(|group| group.elements.contains(&element));
    groups.map(|group| group.name.clone()).collect()
}

fn check_indices(mesh: &Mesh) -> Result<(), FlexibleError> {
    let nodes = mesh.nodes.len();
    if let Some(node) = mesh.nodes.iter().position(|place| !place.iter().all(|x| x.is_finite())) {
        return Err(FlexibleError::NotFinite { node });
    }
    let exist = |owner: &dyn Fn() -> String, list: &[usize]| match list.iter().find(|&&node| node >= nodes) {
        Some(&node) => Err(FlexibleError::NoSuchNode { owner: owner(), node, nodes }),
        None => Ok(()),
    };
    for (element, found) in mesh.elements.iter().enumerate() {
        if found.nodes.len() != found.kind.nodes() {
            let (kind, found) = (found.kind, found.nodes.len());
            return Err(FlexibleError::WrongNumberOfNodes { element, kind, found });
        }
        exist(&|| format!("element {element}"), &found.nodes)?;
        let twice = (1..found.nodes.len()).find(|&k| found.nodes[..k].contains(&found.nodes[k]));
        if let Some(k) = twice {
            return Err(FlexibleError::NodeTwice { element, node: found.nodes[k] });
        }
    }
    for group in &mesh.groups {
        exist(&|| format!("group '{}'", group.name), &group.nodes)?;
        let elements = mesh.elements.len();
        if let Some(&element) = group.elements.iter().find(|&&element| element >= elements) {
            let group = group.name.clone();
            return Err(FlexibleError::NoSuchElement { group, element, elements });
        }
    }
    Ok(())
}

/// Gives every element its section. Elements of a lower dimension than the body may have none: they mark
/// surfaces and edges.
fn distribute(mesh: &Mesh, sections: &[SectionOf]) -> Result<Vec<Option<usize>>, FlexibleError> {
    let mut of = vec![None; mesh.elements.len()];
    for (index, SectionOf { group, section }) in sections.iter().enumerate() {
        let elements: Vec<usize> = match group {
            Some(name) => elements_of(mesh, name)?,
            None => {
                let same = |&k: &usize| mesh.elements[k].kind.dimension() == section.dimension();
                (0..mesh.elements.len()).filter(same).collect()
            }
        };
        for element in elements {
            let kind = mesh.elements[element].kind;
            if !section.fits(kind) {
                let (groups, section) = (groups(mesh, element), section.name());
                return Err(FlexibleError::UnfitSection { element, kind, groups, section });
            }
            if of[element].replace(index).is_some() {
                return Err(FlexibleError::TwoSections { element, groups: groups(mesh, element) });
            }
        }
    }
    let dimension = sections.iter().map(|section| section.section.dimension()).max().unwrap_or(0);
    let missing = (0..of.len()).find(|&k| of[k].is_none() && mesh.elements[k].kind.dimension() >= dimension);
    match missing {
        Some(element) => {
            let (kind, groups) = (mesh.elements[element].kind, groups(mesh, element));
            Err(FlexibleError::WithoutSection { element, kind, groups })
        }
        None if of.iter().all(Option::is_none) => Err(FlexibleError::Empty),
        None => Ok(of),
    }
}

fn elements_of(mesh: &Mesh, name: &str) -> Result<Vec<usize>, FlexibleError> {
    let with_elements = || mesh.groups.iter().filter(|group| !group.elements.is_empty());
    match with_elements().find(|group| group.name == name) {
        Some(group) => {
            let mut elements = group.elements.clone();
            elements.sort_unstable();
            elements.dedup();
            Ok(elements)
        }
        None => {
            let known = with_elements().map(|group| group.name.clone()).collect();
            Err(FlexibleError::NoSuchGroup { name: name.to_string(), known })
        }
    }
}

fn check_shapes(mesh: &Mesh, sections: &[SectionOf], of: &[Option<usize>]) -> Result<(), FlexibleError> {
    for (element, section) in of.iter().enumerate() {
        let Some(section) = section else { continue };
        let found = &mesh.elements[element];
        let Err(fault) = sections[*section].section.element(mesh, found).check() else { continue };
        let (kind, nodes, groups) = (found.kind, found.nodes.clone(), groups(mesh, element));
        return Err(match fault {
            GeometryFault::Inverted(determinant) => {
                FlexibleError::Inverted { element, kind, nodes, groups, determinant }
            }
            GeometryFault::NoVolume => FlexibleError::NoVolume { element, kind, nodes, groups },
            GeometryFault::OutOfPlane => FlexibleError::OutOfPlane { element, groups },
        });
    }
    Ok(())
}

fn check_loose_nodes(mesh: &Mesh, of: &[Option<usize>]) -> Result<(), FlexibleError> {
    let used = used_nodes(mesh, |element| of[element].is_some());
    let count = used.iter().filter(|used| !**used).count();
    match used.iter().position(|used| !used) {
        Some(first) => Err(FlexibleError::LooseNodes { count, first }),
        None => Ok(()),
    }
}

/// Nodes of the elements that are chosen.
pub(crate) fn used_nodes(mesh: &Mesh, chosen: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut used = vec![false; mesh.nodes.len()];
    for (element, found) in mesh.elements.iter().enumerate() {
        if chosen(element) {
            for &node in &found.nodes {
                if let Some(used) = used.get_mut(node) {
                    *used = true;
                }
            }
        }
    }
    used
}

/// Two nodes are at one place if they are in one cell of a grid of 1e-9 of the mesh's size, or of the grid
/// that is shifted by half a cell.
fn check_repeated_nodes(mesh: &Mesh) -> Result<(), FlexibleError> {
    let low = mesh.nodes.iter().fold(Vec3::repeat(f64::INFINITY), |low, x| low.inf(x));
    let high = mesh.nodes.iter().fold(Vec3::repeat(f64::NEG_INFINITY), |high, x| high.sup(x));
    let cell = 1e-9 * (high - low).norm();
    if cell == 0.0 {
        return Ok(());
    }
    for shift in [0.0, 0.5] {
        let cell_of = |place: &Vec3| ((place - low) / cell).map(|x| (x + shift).floor() as i64);
        let mut cells: Vec<([i64; 3], usize)> =
            mesh.nodes.iter().enumerate().map(|(node, place)| (cell_of(place).into(), node)).collect();
        cells.sort_unstable();
        if let Some(pair) = cells.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let (first, second) = (pair[0].1, pair[1].1);
            return Err(FlexibleError::RepeatedNodes { first, second, place: mesh.nodes[first] });
        }
    }
    Ok(())
}

fn check_connected(mesh: &Mesh, of: &[Option<usize>]) -> Result<(), FlexibleError> {
    let mut parent: Vec<usize> = (0..mesh.nodes.len()).collect();
    fn root(parent: &mut [usize], mut node: usize) -> usize {
        while parent[node] != node {
            parent[node] = parent[parent[node]];
            node = parent[node];
        }
        node
    }
    for (element, _) in of.iter().enumerate().filter(|(_, section)| section.is_some()) {
        for pair in mesh.elements[element].nodes.windows(2) {
            let (a, b) = (root(&mut parent, pair[0]), root(&mut parent, pair[1]));
            // The least node is the root, so that parts are found in the order of their first nodes.
            parent[a.max(b)] = a.min(b);
        }
    }
    let roots: Vec<usize> = (0..mesh.nodes.len()).map(|node| root(&mut parent, node)).collect();
    if roots.iter().all(|&root| root == roots[0]) {
        return Ok(());
    }
    let part = |first: usize| {
        let inside = |&element: &usize| roots[mesh.elements[element].nodes[0]] == first;
        let groups = mesh.groups.iter().filter(|group| group.elements.iter().any(inside));
        MeshPart {
            nodes: roots.iter().filter(|&&root| root == first).count(),
            first_node: first,
            groups: groups.map(|group| group.name.clone()).collect(),
        }
    };
    let firsts = (0..roots.len()).filter(|&node| roots[node] == node);
    Err(FlexibleError::Disconnected { parts: firsts.map(part).collect() })
}
