//! The tables of flexible bodies from files: meshes, matrices, bodies that were reduced before.

use super::{OrientationTable, Triple};
use crate::read::{record, tagged};
use crate::value::{List, Located, Number, Text};

record! {
    /// Finite elements of a mesh: Gmsh `.msh`, Abaqus or CalculiX `.inp`, VTK `.vtk` or `.vtu`. Without
    /// `material` and `section` an `.inp` gives both itself.
    pub struct MeshSourceTable "mesh of elements" {
        /// The file, relative to the model file.
        file: Text,
        /// Unit of length of the file in m: 0.001 for a mesh in mm.
        scale: Number = 1,
        /// Unit of mass of the file in kg, for materials that an `.inp` gives: 1000 with t, mm and MPa.
        mass_unit: Option<Number>,
        /// Material of all elements, but of sections that have their own. Without `section` the elements are
        /// solids.
        material: Option<MaterialTable>,
        /// What groups of elements are.
        section: Option<Located<List<MeshSectionTable>>>,
    }
}

tagged! {
    /// What elements of a mesh are.
    pub enum MeshSectionTable "section" {
        "solid" => Solid(SolidSectionTable),
        "shell" => Shell(FaceSectionTable),
        "plane_stress" => PlaneStress(FaceSectionTable),
        "plane_strain" => PlaneStrain(FaceSectionTable),
        "bar" => Bar(BarSectionTable),
        "beam" => Beam(BeamSectionTable),
        "planar_beam" => PlanarBeam(BeamSectionTable),
    }
}

record! {
    /// Tetrahedra, hexahedra, wedges.
    pub struct SolidSectionTable "solid section" {
        /// Group of the mesh. Default: all elements that it fits.
        group: Option<Text>,
        /// Material. Default: that of the source.
        material: Option<MaterialTable>,
    }
}

record! {
    /// Triangles and quadrilaterals: thin shells in space, or sheets that move in their plane z = constant
    /// alone.
    pub struct FaceSectionTable "section of faces" {
        /// Group of the mesh. Default: all elements that it fits.
        group: Option<Text>,
        /// Material. Default: that of the source.
        material: Option<MaterialTable>,
        /// Thickness, m.
        thickness: Number,
    }
}

record! {
    /// Lines that are only pulled.
    pub struct BarSectionTable "section of bars" {
        /// Group of the mesh. Default: all elements that it fits.
        group: Option<Text>,
        /// Material. Default: that of the source.
        material: Option<MaterialTable>,
        /// Area, m².
        area: Number,
    }
}

record! {
    /// Lines that bend and twist; planar ones in a plane z = constant alone.
    pub struct BeamSectionTable "section of beams" {
        /// Group of the mesh. Default: all elements that it fits.
        group: Option<Text>,
        /// Material. Default: that of the source. Of an orthotropic one E1 and G12 count.
        material: Option<MaterialTable>,
        /// Area, m².
        area: Number,
        /// Second moments of area about the axes y and z of the section, m⁴: bending along z and along y.
        inertia: Located<[Number; 2]>,
        /// Torsion constant, m⁴. Default: the sum of the two, as for a circle.
        torsion: Option<Number>,
        /// Areas in shear along y and z, m². Default: no shear deformation.
        shear_areas: Option<Located<[Number; 2]>>,
        /// A vector near the section's y axis, body axes. Default: the body's y axis.
        y_axis: Option<Triple>,
        /// Place of the centroid along y and z, seen from the line between the nodes, m.
        offset: Option<Located<[Number; 2]>>,
    }
}

record! {
    /// A linear elastic material: `young` and `poisson`, or `orthotropic`, or `elasticity`.
    pub struct MaterialTable "material" {
        /// Density, kg/m³.
        density: Number,
        /// Young's modulus, Pa.
        young: Option<Number>,
        /// Poisson's ratio. Default: 0.3.
        poisson: Option<Number>,
        /// Nine constants along three axes.
        orthotropic: Option<OrthotropicTable>,
        /// Stiffness matrix, Pa, a row for each stress 11, 22, 33, 12, 13, 23; shear strains are angles,
        /// 2 ε12.
        elasticity: Option<Located<[[Number; 6]; 6]>>,
        /// Axes of the material in the body. Default: the body axes.
        axes: Option<OrientationTable>,
    }
}

record! {
    /// The nine constants of an orthotropic material.
    pub struct OrthotropicTable "orthotropic constants" {
        /// E1, E2, E3, Pa.
        young: Located<[Number; 3]>,
        /// ν12, ν13, ν23: ν12 is the contraction along 2 in a pull along 1.
        poisson: Located<[Number; 3]>,
        /// G12, G13, G23, Pa.
        shear: Located<[Number; 3]>,
    }
}

record! {
    /// Matrices of another program, of the free body without supports: MatrixMarket or Abaqus `.mtx`, NumPy
    /// `.npy`, `.npz`, CalculiX `.sti` and `.mas`.
    pub struct MatricesSourceTable "matrices" {
        /// File of the mass matrix, relative to the model file; `"file.npz:key"` names an array of an
        /// archive.
        mass: Text,
        /// File of the stiffness matrix, likewise.
        stiffness: Text,
        /// File of a damping matrix, likewise.
        damping: Option<Text>,
        /// File of the nodes: lines `label, x, y, z` (`.csv`), an array (`.npy`), or the mesh.
        nodes: Text,
        /// File of what the rows are (`.dof` of CalculiX). Default: three unknowns of each node or six, in
        /// the order of the nodes.
        unknowns: Option<Text>,
        /// Unit of length of the files in m: 0.001 for mm.
        scale: Number = 1,
        /// Unit of mass of the files in kg: 1000 for t.
        mass_unit: Number = 1,
    }
}

record! {
    /// A body that `poinsot reduce` has written. Its interfaces are named in `interface` without more.
    pub struct ReducedSourceTable "reduced body" {
        /// The file, relative to the model file.
        file: Text,
    }
}

record! {
    /// Beams of the model: they no longer take part themselves, their elements are those of the body, and
    /// their places are in body axes. Beams that touch at nodes are welded there. Their nodes are groups:
    /// `beam.start`, `beam.end`, `beam.node1`, …
    pub struct BeamsSourceTable "beams" {
        /// Names of the beams.
        beams: Located<List<Text>>,
    }
}

record! {
    /// A straight beam along x whose shapes are functions of x (Rayleigh and Ritz). Interfaces are `at`
    /// places in its sections.
    pub struct FunctionsSourceTable "shape functions" {
        /// Length, m: the beam goes from x = 0 to there.
        length: Number,
        /// The cross-section.
        section: FunctionSectionTable,
        /// The shapes.
        shape: Located<List<FunctionShapeTable>>,
        /// Number of places at which the beam is drawn.
        points: Number = 21,
    }
}

record! {
    /// A cross-section along a beam of shape functions; all numbers may depend on `x`.
    pub struct FunctionSectionTable "cross-section along x" {
        /// Area, m².
        area: Number,
        /// Second moments of area about y and z, m⁴: bending along z and along y.
        inertia: Located<[Number; 2]>,
        /// Torsion constant, m⁴. Default: the sum of the two, as for a circle.
        torsion: Option<Number>,
        /// Young's modulus, Pa.
        young: Number,
        /// Poisson's ratio.
        poisson: Number = 0.3,
        /// Density, kg/m³.
        density: Number,
    }
}

record! {
    /// A shape: how the line moves and turns, as functions of `x`; tables can be used in them. Sections stay
    /// at right angles to the line.
    pub struct FunctionShapeTable "shape" {
        /// Displacement along x. Default: 0.
        x: Option<Number>,
        /// Displacement along y. Default: 0.
        y: Option<Number>,
        /// Displacement along z. Default: 0.
        z: Option<Number>,
        /// Rotation about x. Default: 0.
        twist: Option<Number>,
    }
}
