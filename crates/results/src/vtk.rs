//! Frames for ParaView: VTK XML files of surfaces, lines and points, and a `.pvd` file that lists them by
//! time.
//!
//! Numbers are little-endian in base64, each array after its length in bytes as a 32-bit number.

use crate::atomic_file::write_atomically;
use crate::error::ResultsError;
use crate::flexible_skin::FlexibleSkin;
use crate::frames::Frames;
use crate::plate_surface::{PlateSurface, SurfaceGrid};
use crate::render::facets;
use crate::scene::{Scene, SceneKind};
use crate::snapshot::Snapshot;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use nalgebra::Vector3;
use std::fmt::Write;
use std::path::{Path, PathBuf};

type Vector = Vector3<f64>;

/// Points and cells with their data.
#[derive(Default)]
struct PolyData {
    points: Vec<f32>,
    /// Cells by kind: vertices, lines, polygons; each a list of indices of points.
    cells: [Vec<Vec<i32>>; 3],
    /// Name, numbers of each point, and the numbers.
    point_data: Vec<(&'static str, usize, Vec<f32>)>,
    /// The same for cells.
    cell_data: Vec<(&'static str, usize, Vec<f32>)>,
}

impl PolyData {
    fn point(&mut self, point: &Vector) -> i32 {
        self.points.extend(point.iter().map(|&x| x as f32));
        (self.points.len() / 3 - 1) as i32
    }

    fn put(list: &mut Vec<(&'static str, usize, Vec<f32>)>, name: &'static str, values: &[f64]) {
        let numbers = values.iter().map(|&x| x as f32);
        match list.iter_mut().find(|(known, ..)| *known == name) {
            Some((.., data)) => data.extend(numbers),
            None => list.push((name, values.len(), numbers.collect())),
        }
    }

    fn of_point(&mut self, name: &'static str, values: &[f64]) {
        Self::put(&mut self.point_data, name, values);
    }

    fn of_cell(&mut self, name: &'static str, values: &[f64]) {
        Self::put(&mut self.cell_data, name, values);
    }

    fn xml(&self) -> String {
        let count = |k: usize| self.cells[k].len();
        let mut text = String::from(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt32\">\n<PolyData>\n",
        );
        let (points, verts, lines, polys) = (self.points.len() / 3, count(0), count(1), count(2));
        // Writing into a string cannot fail.
        let _ = writeln!(
            text,
            "<Piece NumberOfPoints=\"{points}\" NumberOfVerts=\"{verts}\" NumberOfLines=\"{lines}\" NumberOfStrips=\"0\" NumberOfPolys=\"{polys}\">"
        );
        for (tag, list) in [("PointData", &self.point_data), ("CellData", &self.cell_data)] {
            let _ = writeln!(text, "<{tag}>");
            list.iter().for_each(|(name, parts, values)| text += &floats(name, *parts, values));
            let _ = writeln!(text, "</{tag}>");
        }
        let _ = writeln!(text, "<Points>\n{}</Points>", floats("Points", 3, &self.points));
        for (tag, cells) in ["Verts", "Lines", "Polys"].iter().zip(&self.cells) {
            let corners = cells.iter().flatten().copied();
            let ends = cells.iter().scan(0, |end, cell| {
                *end += cell.len() as i32;
                Some(*end)
            });
            let _ = writeln!(
                text,
                "<{tag}>\n{}{}</{tag}>",
                whole("connectivity", corners),
                whole("offsets", ends)
            );
        }
        text + "</Piece>\n</PolyData>\n</VTKFile>\n"
    }
}

fn floats(name: &str, parts: usize, values: &[f32]) -> String {
    array("Float32", name, parts, values.iter().flat_map(|x| x.to_le_bytes()).collect())
}

fn whole(name: &str, values: impl Iterator<Item = i32>) -> String {
    array("Int32", name, 1, values.flat_map(i32::to_le_bytes).collect())
}

fn array(kind: &str, name: &str, parts: usize, bytes: Vec<u8>) -> String {
    let with_length: Vec<u8> = (bytes.len() as u32).to_le_bytes().into_iter().chain(bytes).collect();
    let content = STANDARD.encode(with_length);
    format!(
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{parts}\" format=\"binary\">{content}</DataArray>\n"
    )
}

/// Writes frames into a folder: `bodies_00000.vtp`, `beams_00000.vtp`, `frames_00000.vtp` and so on, and
/// `NAME.pvd`, whose path is given back.
///
/// * bodies: surfaces with the index of the body on each cell;
/// * beams: a line for each element with its stress resultants, and the axes of the section at each point;
/// * plates: middle surfaces with normals, and the stress resultants of a strip along the first side;
/// * flexible: surfaces of flexible bodies with the elastic displacement of each point, world axes,
///   and its equivalent stress;
/// * frames: a point for each body with its axes, and at the joints their reactions.
pub fn write_vtk(scene: &Scene, frames: &Frames, folder: &Path, name: &str) -> Result<PathBuf, ResultsError> {
    std::fs::create_dir_all(folder).map_err(ResultsError::io("create the folder", folder))?;
    let surfaces: Vec<_> =
        scene.bodies.iter().map(|body| body.shapes.iter().flat_map(facets).collect::<Vec<_>>()).collect();
    let surfaces_of_plates: Vec<PlateSurface> = scene.plates.iter().filter_map(PlateSurface::of).collect();
    let skins: Vec<FlexibleSkin> = scene.flexible.iter().filter_map(FlexibleSkin::of).collect();
    let mut list = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    for (k, time) in frames.axis().iter().enumerate() {
        let state = Snapshot::frame(frames, k);
        let mut parts = vec![("bodies", bodies(scene, &state, &surfaces))];
        if !scene.beams.is_empty() {
            parts.push(("beams", beams(scene, &state)));
        }
        if !scene.plates.is_empty() {
            parts.push(("plates", plates(scene, &surfaces_of_plates, &state)));
        }
        if !skins.is_empty() {
            parts.push(("flexible", flexible(&skins, &state)));
        }
        parts.push(("frames", axes(scene, &state)));
        for (number, (kind, data)) in parts.iter().enumerate() {
            let file = format!("{kind}_{k:05}.vtp");
            write_atomically(&folder.join(&file), data.xml().as_bytes())?;
            let _ = writeln!(
                list,
                "<DataSet timestep=\"{time}\" group=\"\" part=\"{number}\" name=\"{kind}\" file=\"{file}\"/>"
            );
        }
    }
    list += "</Collection>\n</VTKFile>\n";
    let path = folder.join(format!("{name}.pvd"));
    write_atomically(&path, list.as_bytes())?;
    Ok(path)
}

fn bodies(scene: &Scene, state: &Snapshot, surfaces: &[Vec<crate::render::Facet>]) -> PolyData {
    let mut data = PolyData::default();
    let mut add = |body: f64, facet: &crate::render::Facet| {
        let cell = facet.corners.iter().map(|corner| data.point(corner)).collect();
        facet.normals.iter().for_each(|normal| data.of_point("Normals", normal.as_slice()));
        data.cells[2].push(cell);
        data.of_cell("body", &[body]);
    };
    for shape in &scene.ground {
        facets(shape).iter().for_each(|facet| add(-1.0, facet));
    }
    for (k, (list, pose)) in surfaces.iter().zip(&state.poses).enumerate() {
        list.iter().for_each(|facet| add(k as f64, &facet.moved(pose)));
    }
    data
}

fn beams(scene: &Scene, state: &Snapshot) -> PolyData {
    let mut data = PolyData::default();
    for (number, beam) in scene.beams.iter().enumerate() {
        let line = state.line(beam);
        let mut ids = vec![];
        for pose in &line {
            ids.push(data.point(&pose.translation.vector));
            for (name, axis) in [("axis1", Vector::x()), ("axis2", Vector::y()), ("axis3", Vector::z())] {
                data.of_point(name, (pose.rotation * axis).as_slice());
            }
        }
        let per_element = (line.len().saturating_sub(1)) / beam.elements.max(1);
        for element in 0..beam.elements {
            data.cells[1].push(ids[element * per_element..=(element + 1) * per_element].to_vec());
            let resultant = state.resultants.get(beam.first + element).copied().unwrap_or_default();
            data.of_cell("beam", &[number as f64]);
            data.of_cell("element", &[element as f64]);
            data.of_cell("force", &resultant[..3]);
            data.of_cell("moment", &resultant[3..]);
        }
    }
    data
}

fn plates(scene: &Scene, surfaces: &[PlateSurface], state: &Snapshot) -> PolyData {
    let mut data = PolyData::default();
    for (number, (plate, surface)) in scene.plates.iter().zip(surfaces).enumerate() {
        let SurfaceGrid { size: [nu, nv], places, normals } = surface.grid(state);
        let ids: Vec<i32> = places.iter().map(|place| data.point(place)).collect();
        normals.iter().for_each(|normal| data.of_point("Normals", normal.as_slice()));
        let [pu, pv] = surface.parts();
        for (j, i) in (0..nv - 1).flat_map(|j| (0..nu - 1).map(move |i| (j, i))) {
            let [a, b] = [j * nu + i, (j + 1) * nu + i];
            data.cells[2].push([a, a + 1, b + 1, b].map(|k| ids[k]).to_vec());
            let element = j / pv * plate.elements[0] + i / pu;
            let resultant = state.resultants.get(plate.first + element).copied().unwrap_or_default();
            data.of_cell("plate", &[number as f64]);
            data.of_cell("element", &[element as f64]);
            data.of_cell("force", &resultant[..3]);
            data.of_cell("moment", &resultant[3..]);
        }
    }
    data
}

fn flexible(skins: &[FlexibleSkin], state: &Snapshot) -> PolyData {
    let mut data = PolyData::default();
    for (number, skin) in skins.iter().enumerate() {
        let turn = skin.pose(state).rotation;
        let ids: Vec<i32> = skin.points(state).iter().map(|point| data.point(point)).collect();
        for displacement in skin.displacements(state) {
            data.of_point("displacement", (turn * displacement).as_slice());
        }
        let stresses = skin.von_mises(state).unwrap_or_else(|| vec![0.0; ids.len()]);
        stresses.iter().for_each(|stress| data.of_point("von_mises", &[*stress]));
        for triangle in &skin.triangles {
            data.cells[2].push(triangle.map(|k| ids[k]).to_vec());
            data.of_cell("body", &[number as f64]);
        }
    }
    data
}

fn axes(scene: &Scene, state: &Snapshot) -> PolyData {
    let mut data = PolyData::default();
    let none = [0.0; 3];
    for (k, (body, pose)) in scene.bodies.iter().zip(&state.poses).enumerate() {
        let id = data.point(&pose.translation.vector);
        data.cells[0].push(vec![id]);
        for (name, axis) in [("x_axis", Vector::x()), ("y_axis", Vector::y()), ("z_axis", Vector::z())] {
            data.of_point(name, (pose.rotation * axis).as_slice());
        }
        let kind = match body.kind {
            SceneKind::Body => 0.0,
            SceneKind::Node => 1.0,
            SceneKind::Point => 2.0,
        };
        // 3 are joints, 4 are loads.
        data.of_point("kind", &[kind]);
        data.of_point("index", &[k as f64]);
        data.of_point("force", &none);
        data.of_point("torque", &none);
    }
    let joints = scene
        .joints
        .iter()
        .map(|joint| &joint.ends[1])
        .zip(&state.reactions)
        .enumerate()
        .map(|item| (3.0, item));
    let loads =
        scene.loads.iter().map(|load| &load.end).zip(&state.loads).enumerate().map(|item| (4.0, item));
    for (kind, (k, (end, wrench))) in joints.chain(loads) {
        let id = data.point(&state.place(end));
        data.cells[0].push(vec![id]);
        ["x_axis", "y_axis", "z_axis"].iter().for_each(|name| data.of_point(name, &none));
        data.of_point("kind", &[kind]);
        data.of_point("index", &[k as f64]);
        data.of_point("force", &wrench[..3]);
        data.of_point("torque", &wrench[3..]);
    }
    data
}
