//! Uniform solids and the mass properties that follow from them.

use crate::mass::mass_properties::{
    MassError, MassProperties, ROUNDING, all_finite, dyad, inertia_of, positive_mass,
};
use crate::mass::triangle_mesh::TriangleMesh;
use poinsot_geometry::{Mat3, Vec3};

/// A coordinate axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// First axis.
    X,
    /// Second axis.
    Y,
    /// Third axis.
    Z,
}

impl Axis {
    /// 0, 1 or 2.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The unit vector along the axis.
    pub fn unit(self) -> Vec3 {
        let mut unit = Vec3::zeros();
        unit[self.index()] = 1.0;
        unit
    }

    /// The diagonal matrix with `along` on this axis and `across` on the other two.
    fn diagonal(self, along: f64, across: f64) -> Mat3 {
        let mut matrix = Mat3::from_diagonal_element(across);
        matrix[(self.index(), self.index())] = along;
        matrix
    }
}

/// A solid of uniform density, centred at the origin unless said otherwise. Lengths in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A cuboid with edges along the axes.
    Box {
        /// Edge lengths along x, y, z.
        size: [f64; 3],
    },
    /// A ball.
    Sphere {
        /// Radius.
        radius: f64,
    },
    /// A circular cylinder.
    Cylinder {
        /// Radius.
        radius: f64,
        /// Length along the axis.
        length: f64,
        /// Direction of the axis.
        axis: Axis,
    },
    /// A circular cylinder with a concentric bore.
    HollowCylinder {
        /// Radius of the outer wall.
        outer_radius: f64,
        /// Radius of the bore; may be zero.
        inner_radius: f64,
        /// Length along the axis.
        length: f64,
        /// Direction of the axis.
        axis: Axis,
    },
    /// A circular cone. The origin is the centre of the base, the apex lies at `+height` on the
    /// axis, and the centre of mass at a quarter of the height.
    Cone {
        /// Radius of the base.
        radius: f64,
        /// Distance of the apex from the base.
        height: f64,
        /// Direction from the base to the apex.
        axis: Axis,
    },
    /// A tetrahedron where its corners are; their order is free.
    Tetrahedron {
        /// The four corners.
        corners: [Vec3; 4],
    },
    /// The inside of a closed triangle mesh, where its vertices are.
    Mesh(TriangleMesh),
}

/// The moments of a uniform solid: all that mass properties need besides the density.
pub(crate) struct UniformSolid {
    pub volume: f64,
    pub centre: Vec3,
    /// Second moments about the centre per volume: G = (1/V)∫ρρᵀdV.
    pub spread: Mat3,
}

impl Shape {
    /// Mass properties for a uniform density (kg/m³): m = ρV, J = m(tr(G)I − G).
    pub fn with_density(&self, density: f64) -> Result<MassProperties, MassError> {
        if !(density > 0.0 && density.is_finite()) {
            return Err(MassError::Density { density });
        }
        let solid = self.solid()?;
        solid.with_mass(density * solid.volume)
    }

    /// Mass properties for a uniform density that gives the mass (kg).
    pub fn with_mass(&self, mass: f64) -> Result<MassProperties, MassError> {
        positive_mass(mass)?;
        self.solid()?.with_mass(mass)
    }

    /// Volume (m³).
    pub fn volume(&self) -> Result<f64, MassError> {
        Ok(self.solid()?.volume)
    }

    fn solid(&self) -> Result<UniformSolid, MassError> {
        match *self {
            Shape::Box { size } => cuboid(size),
            Shape::Sphere { radius } => ball(radius),
            Shape::Cylinder { radius, length, axis } => {
                positive("cylinder", &[("radius", radius), ("length", length)])?;
                Ok(tube(radius, 0.0, length, axis))
            }
            Shape::HollowCylinder { outer_radius: outer, inner_radius: inner, length, axis } => {
                positive("hollow cylinder", &[("outer radius", outer), ("length", length)])?;
                if !(0.0..outer).contains(&inner) {
                    return Err(MassError::Wall { inner, outer });
                }
                Ok(tube(outer, inner, length, axis))
            }
            Shape::Cone { radius, height, axis } => cone(radius, height, axis),
            Shape::Tetrahedron { ref corners } => tetrahedron(corners),
            Shape::Mesh(ref mesh) => mesh.solid(),
        }
    }
}

impl UniformSolid {
    fn with_mass(&self, mass: f64) -> Result<MassProperties, MassError> {
        let properties = MassProperties::new(mass, self.centre, mass * inertia_of(&self.spread));
        properties.check()?;
        Ok(properties)
    }
}

/// V = abc, G = diag(a², b², c²)/12.
fn cuboid(size: [f64; 3]) -> Result<UniformSolid, MassError> {
    let [x, y, z] = size;
    positive("box", &[("x size", x), ("y size", y), ("z size", z)])?;
    Ok(UniformSolid {
        volume: x * y * z,
        centre: Vec3::zeros(),
        spread: Mat3::from_diagonal(&Vec3::new(x * x, y * y, z * z)) / 12.0,
    })
}

/// V = 4πr³/3, G = r²I/5.
fn ball(radius: f64) -> Result<UniformSolid, MassError> {
    positive("sphere", &[("radius", radius)])?;
    Ok(UniformSolid {
        volume: 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3),
        centre: Vec3::zeros(),
        spread: Mat3::from_diagonal_element(radius * radius / 5.0),
    })
}

/// V = π(R² − r²)l, G = l²/12 along and (R² + r²)/4 across the axis.
fn tube(outer: f64, inner: f64, length: f64, axis: Axis) -> UniformSolid {
    // (R − r)(R + r) keeps the digits of a thin wall that R² − r² would lose.
    UniformSolid {
        volume: std::f64::consts::PI * (outer - inner) * (outer + inner) * length,
        centre: Vec3::zeros(),
        spread: axis.diagonal(length * length / 12.0, (outer * outer + inner * inner) / 4.0),
    }
}

/// V = πr²h/3, centre at h/4 above the base, G = 3h²/80 along and 3r²/20 across the axis.
fn cone(radius: f64, height: f64, axis: Axis) -> Result<UniformSolid, MassError> {
    positive("cone", &[("radius", radius), ("height", height)])?;
    Ok(UniformSolid {
        volume: std::f64::consts::PI * radius * radius * height / 3.0,
        centre: axis.unit() * (height / 4.0),
        spread: axis.diagonal(3.0 / 80.0 * height * height, 3.0 / 20.0 * radius * radius),
    })
}

/// V = |det(x₁−x₀, x₂−x₀, x₃−x₀)|/6, c = Σxᵢ/4, G = Σ(xᵢ−c)(xᵢ−c)ᵀ/20.
fn tetrahedron(corners: &[Vec3; 4]) -> Result<UniformSolid, MassError> {
    for corner in corners {
        all_finite("position of a corner of the tetrahedron", corner.as_slice())?;
    }
    let centre = corners.iter().sum::<Vec3>() / 4.0;
    let [a, b, c, d] = corners.map(|corner| corner - centre);
    let volume = (b - a).dot(&(c - a).cross(&(d - a))).abs() / 6.0;
    let extent = [a, b, c, d].iter().map(Vec3::norm).fold(0.0, f64::max);
    not_flat("tetrahedron", volume, extent)?;
    Ok(UniformSolid { volume, centre, spread: (dyad(&a) + dyad(&b) + dyad(&c) + dyad(&d)) / 20.0 })
}

fn positive(shape: &'static str, lengths: &[(&'static str, f64)]) -> Result<(), MassError> {
    for &(name, value) in lengths {
        if !(value > 0.0 && value.is_finite()) {
            return Err(MassError::Dimension { shape, name, value });
        }
    }
    Ok(())
}

pub(crate) fn not_flat(shape: &'static str, volume: f64, extent: f64) -> Result<(), MassError> {
    if volume > ROUNDING * extent.powi(3) { Ok(()) } else { Err(MassError::Flat { shape, volume, extent }) }
}
