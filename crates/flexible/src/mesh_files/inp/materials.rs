//! Materials, sections and orientations of an input file, as plain numbers in the units of the file.

use poinsot_geometry::{Mat3, Vec3};

/// Elastic constants.
#[derive(Clone, Debug, PartialEq)]
pub enum ElasticData {
    /// E and ν.
    Isotropic {
        /// Young's modulus.
        young: f64,
        /// Poisson's ratio.
        poisson: f64,
    },
    /// Nine constants along three axes; ν_12 is the contraction along 2 under tension along 1.
    EngineeringConstants {
        /// E_1, E_2, E_3.
        young: [f64; 3],
        /// ν_12, ν_13, ν_23.
        poisson: [f64; 3],
        /// G_12, G_13, G_23.
        shear: [f64; 3],
    },
    /// σ = C ε with σ = (11, 22, 33, 12, 13, 23) and ε likewise with 2ε_12, 2ε_13, 2ε_23.
    Stiffness(Box<[[f64; 6]; 6]>),
}

/// A material.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialData {
    /// Its name.
    pub name: String,
    /// Mass of a volume.
    pub density: Option<f64>,
    /// How it resists.
    pub elastic: Option<ElasticData>,
}

/// A cross section of a beam.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamData {
    /// Its shape, in capitals: `RECT`, `CIRC`, `PIPE`, …
    pub shape: String,
    /// Its dimensions, as the shape has them.
    pub dimensions: Vec<f64>,
    /// The first axis of the section n₁.
    pub axis: Option<Vec3>,
}

/// What a section says besides its material.
#[derive(Clone, Debug, PartialEq)]
pub enum SectionKind {
    /// A solid or a plane; planes have a thickness, bars an area.
    Solid {
        /// The number of its line of data.
        size: Option<f64>,
    },
    /// A shell or membrane of some thickness.
    Shell {
        /// The thickness.
        thickness: f64,
    },
    /// A beam.
    Beam(BeamData),
}

/// Which elements are of which material.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionData {
    /// Name of the set of elements: a group of the mesh.
    pub group: String,
    /// Elements of the mesh that have it.
    pub elements: Vec<usize>,
    /// Name of the material.
    pub material: String,
    /// Axes of the material as columns; none if they are those of the mesh.
    pub axes: Option<Mat3>,
    /// The rest.
    pub kind: SectionKind,
}

/// Which constants a line `*ELASTIC` has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElasticType {
    Isotropic,
    EngineeringConstants,
    Orthotropic,
    Anisotropic,
}

impl ElasticType {
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "" | "ISO" | "ISOTROPIC" => Some(ElasticType::Isotropic),
            "ENGINEERINGCONSTANTS" => Some(ElasticType::EngineeringConstants),
            "ORTHO" | "ORTHOTROPIC" => Some(ElasticType::Orthotropic),
            "ANISO" | "ANISOTROPIC" => Some(ElasticType::Anisotropic),
            _ => None,
        }
    }

    /// Number of constants.
    pub fn count(self) -> usize {
        match self {
            ElasticType::Isotropic => 2,
            ElasticType::EngineeringConstants | ElasticType::Orthotropic => 9,
            ElasticType::Anisotropic => 21,
        }
    }

    /// The constants by their numbers, in the order of the manual.
    pub fn data(self, c: &[f64]) -> ElasticData {
        match self {
            ElasticType::Isotropic => ElasticData::Isotropic { young: c[0], poisson: c[1] },
            ElasticType::EngineeringConstants => ElasticData::EngineeringConstants {
                young: [c[0], c[1], c[2]],
                poisson: [c[3], c[4], c[5]],
                shear: [c[6], c[7], c[8]],
            },
            // D1111, D1122, D2222, D1133, D2233, D3333, D1212, D1313, D2323
            ElasticType::Orthotropic => {
                let places = [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2), (3, 3), (4, 4), (5, 5)];
                stiffness(places.into_iter(), c)
            }
            // The upper triangle column by column.
            ElasticType::Anisotropic => stiffness((0..6).flat_map(|j| (0..=j).map(move |i| (i, j))), c),
        }
    }
}

fn stiffness(places: impl Iterator<Item = (usize, usize)>, constants: &[f64]) -> ElasticData {
    let mut c = Box::new([[0.0; 6]; 6]);
    for ((i, j), value) in places.zip(constants) {
        (c[i][j], c[j][i]) = (*value, *value);
    }
    ElasticData::Stiffness(c)
}

/// The axes of `*ORIENTATION, SYSTEM=RECTANGULAR`: a lies on the first axis, b in the plane of the first two;
/// then a turn by an angle in degrees about one of the axes.
pub(super) fn orientation(a: Vec3, b: Vec3, turn: Option<(usize, f64)>) -> Option<Mat3> {
    let x = a.try_normalize(0.0)?;
    let z = x.cross(&b).try_normalize(1e-12 * b.norm())?;
    let axes = Mat3::from_columns(&[x, z.cross(&x), z]);
    let Some((axis, degrees)) = turn else { return Some(axes) };
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut turned = axes;
    turned.set_column(i, &(axes.column(i) * cos + axes.column(j) * sin));
    turned.set_column(j, &(axes.column(j) * cos - axes.column(i) * sin));
    Some(turned)
}
