//! How a flexible body comes by its shapes: finite elements or matrices, and what is asked of them. A recipe
//! that was followed is remembered, so that other values of parameters which do not change it cost nothing.

use poinsot_flexible::reduction::{
    Reduced, Reduction, ReductionError, ReductionReport, StoredBody, checksum, reduce, stiffen,
};
use poinsot_flexible::{
    BodyCheck, BodyMatrices, Component, Doubt, FiniteElements, FlexibleError, FullBody, ImportError, Mesh,
    ReducedBody, SectionOf, Skin, assemble, check_body, doubts_of_units, import_body,
};
use poinsot_geometry::nalgebra::{DMatrix, DVector};
use std::sync::{Arc, Mutex, PoisonError};
use thiserror::Error;

/// Followed recipes that are remembered: more would fill the memory in a sweep of a material.
const REMEMBERED: usize = 8;
/// Vibrations of the full body that a report compares with.
const COMPARED: usize = 10;

/// What a body is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum FullBodyData {
    /// Finite elements.
    Elements {
        /// The mesh (m).
        mesh: Arc<Mesh>,
        /// What its elements are.
        sections: Vec<SectionOf>,
    },
    /// Matrices of another program.
    Matrices {
        /// The matrices.
        matrices: Arc<BodyMatrices>,
        /// Their unit of length (m).
        length: f64,
        /// Their unit of mass (kg).
        mass: f64,
        /// What is seen of the body.
        skin: Skin,
        /// The axis that is normal to the plane in which it moves, if it does.
        normal: Option<usize>,
    },
}

impl FullBodyData {
    /// The body with all its unknowns.
    pub fn full(&self) -> Result<FullBody, RecipeError> {
        match self {
            FullBodyData::Elements { mesh, sections } => Ok(assemble(mesh, sections)?),
            FullBodyData::Matrices { matrices, length, mass, skin, normal } => {
                let imported = import_body(matrices)?;
                let body = FullBody { skin: skin.clone(), ..imported.body }.in_units(*length, *mass);
                Ok(match normal {
                    Some(normal) => body.in_plane(*normal),
                    None => body,
                })
            }
        }
    }

    /// UᵀDU of the damping matrix of the files, where there is one, for shapes U.
    fn damping(&self, full: &FullBody, shapes: &DMatrix<f64>) -> Result<Option<DMatrix<f64>>, RecipeError> {
        let FullBodyData::Matrices { matrices, length, mass, .. } = self else { return Ok(None) };
        let imported = import_body(matrices)?;
        let Some(damping) = imported.damping else { return Ok(None) };
        let factor = |row: usize| match full.unknowns[row].component {
            Component::Translation(_) => 1.0,
            Component::Rotation(_) => *length,
        };
        // Unknowns that leave the plane of the body are in the matrix, and do not move.
        let mut in_file = DMatrix::zeros(imported.body.unknowns.len(), shapes.ncols());
        let mut row = 0;
        for (i, unknown) in imported.body.unknowns.iter().enumerate() {
            if full.unknowns.get(row) == Some(unknown) {
                (0..shapes.ncols()).for_each(|k| in_file[(i, k)] = factor(row) * shapes[(row, k)]);
                row += 1;
            }
        }
        let mut forces = in_file.clone();
        for (k, column) in in_file.column_iter().enumerate() {
            let mut force = vec![0.0; in_file.nrows()];
            damping.multiply(column.as_slice(), &mut force);
            forces.set_column(k, &DVector::from_vec(force));
        }
        Ok(Some(in_file.tr_mul(&forces) * *mass))
    }
}

/// A body of finite elements or matrices, and what is asked of its reduction.
#[derive(Clone, Debug, PartialEq)]
pub struct FlexibleRecipe {
    /// What it is made of.
    pub data: FullBodyData,
    /// What is asked.
    pub request: Reduction,
    /// Whether stress shall stiffen the shapes.
    pub geometric: bool,
}

/// A body made by a recipe.
#[derive(Clone, Debug)]
pub struct MadeBody {
    /// The body; the largest displacement of a node in each shape is 1, so that its number is a length.
    pub body: ReducedBody,
    /// What the reduction has kept.
    pub report: ReductionReport,
    /// What is doubtful about units and size.
    pub doubts: Vec<Doubt>,
}

/// Why a recipe makes no body.
#[derive(Clone, Debug, Error)]
pub enum RecipeError {
    /// Its finite elements cannot be assembled.
    #[error(transparent)]
    Elements(#[from] FlexibleError),
    /// Its matrices make no body.
    #[error(transparent)]
    Matrices(#[from] ImportError),
    /// It cannot be reduced.
    #[error(transparent)]
    Reduction(#[from] ReductionError),
}

impl FlexibleRecipe {
    /// Follows the recipe.
    pub fn make(&self) -> Result<MadeBody, RecipeError> {
        let full = self.data.full()?;
        self.make_of(&full, &self.request)
    }

    fn make_of(&self, full: &FullBody, request: &Reduction) -> Result<MadeBody, RecipeError> {
        let mut reduced = reduce(full, request)?;
        if let Some(damping) = self.data.damping(full, &reduced.shapes)? {
            reduced.body.damping += damping;
        }
        self.add_stresses(full, request, &mut reduced)?;
        let reduced = reduced.in_metres(full);
        Ok(MadeBody { body: reduced.body, report: reduced.report, doubts: doubts_of_units(full) })
    }

    /// What only finite elements know: stresses of the shapes, and the stiffness that stress makes.
    fn add_stresses(
        &self,
        full: &FullBody,
        request: &Reduction,
        reduced: &mut Reduced,
    ) -> Result<(), RecipeError> {
        let FullBodyData::Elements { mesh, sections } = &self.data else { return Ok(()) };
        let elements = FiniteElements::new(mesh, sections)?;
        reduced.body.stresses = elements.shape_stresses(&full.skin, &reduced.shapes)?;
        if self.geometric {
            stiffen(&elements, full, request, reduced)?;
        }
        Ok(())
    }

    /// Mass, centre, inertia, rigid motions and least frequencies of the full body, and all doubts.
    pub fn check(&self) -> Result<BodyCheck, RecipeError> {
        self.data.full().map(|full| check_body(&full))
    }

    /// The same in words: what was found, and what is doubtful.
    pub fn check_lines(&self) -> Result<(Vec<String>, Vec<String>), RecipeError> {
        let check = self.check()?;
        let (c, j) = (check.centre, check.inertia);
        let mut lines = vec![
            format!("mass {:.6} kg, centre [{:.6}, {:.6}, {:.6}] m", check.mass, c.x, c.y, c.z),
            format!("inertia about it [{:.4e}, {:.4e}, {:.4e}] kg m²", j[(0, 0)], j[(1, 1)], j[(2, 2)]),
        ];
        if let Some(zero) = check.zero_modes {
            let worst = check.rigid_residuals.iter().fold(0.0, |worst: f64, residual| worst.max(*residual));
            let rigid = check.rigid_motions;
            lines.push(format!(
                "{zero} motions without stiffness for {rigid} rigid ones, which strain it by {worst:.1e}"
            ));
        }
        if !check.frequencies.is_empty() {
            let first: Vec<_> = check.frequencies.iter().map(|hertz| format!("{hertz:.2}")).collect();
            lines.push(format!("frequencies of the free body {} … Hz", first.join(", ")));
        }
        Ok((lines, check.doubts.iter().map(ToString::to_string).collect()))
    }

    /// Compares the reduced body with the full one, in words, and gives `body` as the bytes of a file that
    /// models read.
    pub fn compare_and_store(&self, body: &ReducedBody) -> Result<(String, Vec<u8>), RecipeError> {
        let full = self.data.full()?;
        let most = full.unknowns.len().saturating_sub(6 * (1 + self.request.interfaces.len()));
        let request = Reduction { compare: COMPARED.min(body.size()).min(most), ..self.request.clone() };
        let made = self.make_of(&full, &request)?;
        let stored = StoredBody { body: body.clone(), source: checksum(&full) };
        Ok((made.report.words(), stored.to_bytes()))
    }
}

/// Recipes that were followed, the last ones.
#[derive(Debug, Default)]
pub(crate) struct MadeBodies(Mutex<Vec<(Arc<FlexibleRecipe>, Arc<MadeBody>)>>);

impl MadeBodies {
    /// What a recipe makes; it is followed if it is new.
    pub fn get(&self, recipe: &Arc<FlexibleRecipe>) -> Result<Arc<MadeBody>, RecipeError> {
        let all = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, made)) = all().iter().find(|(known, _)| known == recipe) {
            return Ok(made.clone());
        }
        let made = Arc::new(recipe.make()?);
        let mut all = all();
        if all.len() >= REMEMBERED {
            all.remove(0);
        }
        all.push((recipe.clone(), made.clone()));
        Ok(made)
    }
}
