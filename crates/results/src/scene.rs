//! `scene.json`: what there is to see of a model. The poses that move it are in [`Frames`](crate::Frames).
//!
//! Lengths are in m. A rotation is a unit quaternion (x, y, z, w) from the axes of the thing to those of what
//! carries it.

use crate::block::Block;
use crate::error::ResultsError;
use crate::flexible_skin::FlexibleSkin;
use crate::plain_file;
use crate::plate_surface::PlateSurface;
use serde::{Deserialize, Serialize};
use std::path::Path;
use thiserror::Error;

/// Why a scene cannot be drawn.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SceneError {
    /// Something is at a body that there is not.
    #[error("`{0}` is at a body that is not there")]
    NoBody(String),
    /// Numbers of a mesh are missing.
    #[error("a mesh is cut short")]
    CutMesh,
    /// It is not what was written with the frames.
    #[error("it is damaged, or not the one to which the frames belong")]
    OtherFrames,
}

/// Everything that can be drawn of a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Scene {
    /// Name of the model.
    pub name: String,
    /// Characteristic length.
    pub length: f64,
    /// Direction against gravity.
    pub up: [f64; 3],
    /// Acceleration of gravity, in m/s².
    pub gravity: [f64; 3],
    /// Bodies, points and nodes of beams.
    pub bodies: Vec<SceneBody>,
    /// What stands on the ground.
    pub ground: Vec<Shape>,
    /// Joints.
    pub joints: Vec<SceneJoint>,
    /// Springs and other elements between two points.
    pub springs: Vec<SceneLink>,
    /// Forces and torques.
    pub loads: Vec<SceneLoad>,
    /// Beams.
    pub beams: Vec<SceneBeam>,
    /// Plates and shells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plates: Vec<ScenePlate>,
    /// Flexible bodies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flexible: Vec<SceneFlexible>,
}

impl Scene {
    /// Name of the file in a run folder.
    pub const FILE: &'static str = "scene.json";

    /// The scene as JSON.
    pub fn json(&self) -> Result<String, ResultsError> {
        serde_json::to_string(self).map_err(|source| ResultsError::Json { path: Self::FILE.into(), source })
    }

    /// Reads a scene; its text comes with it.
    pub fn read(path: &Path) -> Result<(Scene, String), ResultsError> {
        let text = plain_file::read_text(path)?;
        let scene = serde_json::from_str(&text);
        Ok((scene.map_err(|source| ResultsError::Json { path: path.to_owned(), source })?, text))
    }

    /// Whether all indices are of bodies that are there, and all blocks of meshes as long as they say.
    pub fn check(&self) -> Result<(), SceneError> {
        let known = |end: &End| end.body.is_none_or(|k| k < self.bodies.len());
        let joints = self.joints.iter().map(|j| (&j.name, j.ends.iter().all(known)));
        let springs = self.springs.iter().map(|s| (&s.name, s.ends.iter().all(known)));
        let loads = self.loads.iter().map(|l| (&l.name, known(&l.end)));
        let beams = self.beams.iter().map(|b| (&b.name, b.nodes.iter().all(|k| *k < self.bodies.len())));
        let plates = self.plates.iter().map(|p| (&p.name, p.nodes.iter().all(|k| *k < self.bodies.len())));
        let flexible = self.flexible.iter().map(|f| (&f.name, f.frame < self.bodies.len()));
        let all = joints.chain(springs).chain(loads).chain(beams).chain(plates).chain(flexible);
        if let Some((name, _)) = all.into_iter().find(|(_, fits)| !fits) {
            return Err(SceneError::NoBody(name.clone()));
        }
        let whole = |shape: &Shape| match &shape.solid {
            Solid::Mesh { vertices, triangles } => {
                let count = vertices.numbers().map_or(0, |numbers| numbers.len() / 3);
                triangles.numbers().is_some_and(|list| list.iter().all(|&k| (k as usize) < count))
            }
            _ => true,
        };
        let skins = self.flexible.iter().all(|flexible| FlexibleSkin::of(flexible).is_some());
        let plates = self.plates.iter().all(|plate| PlateSurface::of(plate).is_some());
        match skins
            && plates
            && self.bodies.iter().flat_map(|body| &body.shapes).chain(&self.ground).all(whole)
        {
            true => Ok(()),
            false => Err(SceneError::CutMesh),
        }
    }

    /// Number of shapes of flexible bodies.
    pub fn amplitudes(&self) -> usize {
        self.flexible.iter().map(|flexible| flexible.shapes).sum()
    }

    /// Number of elements of beams and plates.
    pub fn elements(&self) -> usize {
        let of_plate = |plate: &ScenePlate| plate.elements[0] * plate.elements[1];
        self.beams.iter().map(|beam| beam.elements).chain(self.plates.iter().map(of_plate)).sum()
    }
}

/// What a thing that moves is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SceneKind {
    /// A rigid body.
    #[default]
    Body,
    /// A node of a beam.
    Node,
    /// A point mass.
    Point,
}

/// A thing that moves.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SceneBody {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SceneKind,
    /// Centre of mass, body axes.
    pub centre: [f64; 3],
    /// How it looks.
    pub shapes: Vec<Shape>,
}

/// A place on a body, or on the ground.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct End {
    /// Index of the body; `None` for the ground.
    pub body: Option<usize>,
    /// The place, body axes.
    pub at: [f64; 3],
}

/// A joint.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SceneJoint {
    /// Its name.
    pub name: String,
    /// Its type, as in the model file.
    #[serde(rename = "type")]
    pub kind: String,
    /// How it is drawn.
    #[serde(default)]
    pub symbol: JointSymbol,
    /// Its ends.
    pub ends: [End; 2],
    /// The axis it turns about or slides along, axes of the first body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// The pulleys that a rope runs over, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over: Vec<ScenePulley>,
}

/// A pulley of a rope.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ScenePulley {
    /// Its centre.
    pub at: End,
    /// Radius (m), positive if the centre is on the left of the rope, seen against the axis.
    pub radius: f64,
    /// Direction of its axis, world.
    pub axis: [f64; 3],
}

/// How a joint is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JointSymbol {
    /// A pin along the axis.
    Pin,
    /// A ball.
    Ball,
    /// A sleeve that slides and turns on a rail.
    Sleeve,
    /// A nut on a thread.
    Thread,
    /// A block that slides on a rail.
    Block,
    /// A clamp.
    Clamp,
    /// A plate across the axis.
    Plate,
    /// A ring about the axis.
    Ring,
    /// A cross.
    #[default]
    Cross,
    /// A thin rod from end to end.
    Rod,
    /// A rope over pulleys.
    Rope,
}

/// An element between two points.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SceneLink {
    /// Its name.
    pub name: String,
    /// Its ends.
    pub ends: [End; 2],
}

/// A force or torque on a body.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SceneLoad {
    /// Its name.
    pub name: String,
    /// Where it acts.
    pub end: End,
}

/// A beam along nodes whose third axis is along the line.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SceneBeam {
    /// Its name.
    pub name: String,
    /// Its nodes as indices of bodies, in the order of the line.
    pub nodes: Vec<usize>,
    /// Order of the elements.
    pub order: usize,
    /// Number of elements.
    pub elements: usize,
    /// Index of its first element among the resultants.
    pub first: usize,
    /// Closed polygon of the section in its axes 1 and 2; a hollow one goes along a seam to its inner side
    /// and back.
    pub outline: Vec<[f64; 2]>,
    /// Its colour as `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

/// A plate or shell: a smooth surface through nodes whose axes are along the first side, across it and
/// normal to the surface.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScenePlate {
    /// Its name.
    pub name: String,
    /// Its nodes as indices of bodies, the first side running faster.
    pub nodes: Vec<usize>,
    /// Elements along both sides.
    pub elements: [usize; 2],
    /// Index of its first element among the resultants, which are those of a strip along the first side.
    pub first: usize,
    /// Slopes of each node where the plate is modelled, axes of the node: three numbers for an element along
    /// the first side and three for one along the second (m).
    pub slopes: Block,
    /// Thickness that is drawn (m).
    pub thickness: f64,
    /// Its colour as `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

/// The surface of a flexible body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SceneFlexible {
    /// Its name.
    pub name: String,
    /// Its floating frame: index of a body.
    pub frame: usize,
    /// Index of its first shape among those of all flexible bodies.
    pub first: usize,
    /// Number of its shapes.
    pub shapes: usize,
    /// Vertices of the undeformed surface, axes of the frame: three numbers each.
    pub vertices: Block,
    /// How far each shape moves each vertex: shape by shape three numbers for each.
    pub displacements: Block,
    /// Three indices of vertices for each triangle.
    pub triangles: Block,
    /// Stresses of each shape (Pa): on each of `sides` sides of the surface six numbers xx, yy, zz, yz, xz,
    /// xy for each vertex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stresses: Option<Block>,
    /// Its colour as `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
}

/// A solid to look at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shape {
    /// The solid.
    #[serde(flatten)]
    pub solid: Solid,
    /// Where it is on what carries it.
    #[serde(default)]
    pub pose: Placement,
    /// Its colour as `#rrggbb`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// True if the model does not give it: it follows from inertia and joints.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub derived: bool,
}

/// Position and rotation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// Position.
    pub position: [f64; 3],
    /// Quaternion (x, y, z, w).
    pub rotation: [f64; 4],
}

impl Default for Placement {
    fn default() -> Self {
        Placement { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] }
    }
}

/// The solids; those with an axis have it along z, about their middle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Solid {
    /// A cuboid.
    Box {
        /// Its edges.
        size: [f64; 3],
    },
    /// A sphere.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A cylinder.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Its length.
        length: f64,
    },
    /// A cylinder with a bore.
    Tube {
        /// Outer radius.
        outer: f64,
        /// Inner radius.
        inner: f64,
        /// Its length.
        length: f64,
    },
    /// A cone, tip up.
    Cone {
        /// Radius of the base.
        radius: f64,
        /// Its height.
        length: f64,
    },
    /// A cylinder with round ends.
    Capsule {
        /// Its radius.
        radius: f64,
        /// Length between the centres of its ends.
        length: f64,
    },
    /// Triangles.
    Mesh {
        /// Corners, three numbers each.
        vertices: Block,
        /// Three indices of corners for each triangle.
        triangles: Block,
    },
}
