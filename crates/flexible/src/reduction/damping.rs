//! Damping of shapes (gap 17).
//!
//! ```text
//! D = M Φ diag(2 ζ_k ω_k) Φᵀ M,   D = a M + b K
//! ```

use super::{Damping, ReductionError, small};
use nalgebra::DMatrix;

/// D of the shapes.
pub fn damping_matrix(
    damping: &Damping,
    stiffness: &DMatrix<f64>,
    mass: &DMatrix<f64>,
) -> Result<DMatrix<f64>, ReductionError> {
    let n = stiffness.nrows();
    match damping {
        Damping::None => Ok(DMatrix::zeros(n, n)),
        Damping::Ratio(ratio) => modal(&vec![*ratio; n], stiffness, mass),
        Damping::Ratios(ratios) if ratios.len() != n => {
            Err(ReductionError::Given(format!("{} damping ratios for {n} shapes", ratios.len())))
        }
        Damping::Ratios(ratios) => modal(ratios, stiffness, mass),
        Damping::Rayleigh { mass: a, stiffness: b } if !(*a >= 0.0 && *b >= 0.0 && (a + b).is_finite()) => {
            Err(ReductionError::Given(format!(
                "Rayleigh damping {a}, {b}: both factors are zero or positive"
            )))
        }
        Damping::Rayleigh { mass: a, stiffness: b } => Ok(mass * *a + stiffness * *b),
        Damping::Given(d) => check_given(d, n).map(|()| d.clone()),
    }
}

fn modal(
    ratios: &[f64],
    stiffness: &DMatrix<f64>,
    mass: &DMatrix<f64>,
) -> Result<DMatrix<f64>, ReductionError> {
    if let Some(ratio) = ratios.iter().find(|ratio| !(**ratio >= 0.0 && ratio.is_finite())) {
        return Err(ReductionError::Given(format!("a damping ratio is {ratio}; it is zero or positive")));
    }
    let (squares, vectors) = small::eigen(stiffness, mass)?;
    let momenta = mass * vectors;
    let mut scaled = momenta.clone();
    for (k, mut column) in scaled.column_iter_mut().enumerate() {
        column *= 2.0 * ratios[k] * squares[k].max(0.0).sqrt();
    }
    Ok(small::symmetric_part(&(scaled * momenta.transpose())))
}

fn check_given(d: &DMatrix<f64>, n: usize) -> Result<(), ReductionError> {
    let wrong = |words: String| Err(ReductionError::Given(words));
    if d.shape() != (n, n) {
        return wrong(format!("a damping matrix of {} × {} for {n} shapes", d.nrows(), d.ncols()));
    }
    if !d.iter().all(|value| value.is_finite()) {
        return wrong("an entry of the damping matrix is not finite".into());
    }
    let size = d.amax();
    if (d - d.transpose()).amax() > 1e-9 * size {
        return wrong("the damping matrix is not symmetric".into());
    }
    if n > 0 && d.clone().symmetric_eigenvalues().min() < -1e-9 * size {
        return wrong("the damping matrix feeds energy: it has a negative eigenvalue".into());
    }
    Ok(())
}
