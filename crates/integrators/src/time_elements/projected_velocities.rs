//! Velocities of time elements as one continuous field (motion-interpolation-galerkin §1.17, (6.26)).
//!
//! ```text
//! Σ_I ∫ l lᵀ dt w* = Σ_I ∫ l lᵀ dt w_I,     ∫ l lᵀ dt = h/6 [ 2 1 ; 1 2 ]
//! ```
//! the continuous, piecewise linear w* that is nearest to fields that jump between elements, in the mean of the
//! square. It raises velocities of order one, as those of continuous elements of degree one and of stiff motions,
//! to order two. The Radau correction does more where motions are smooth, and nothing where they are stiff.

/// w* at the bounds of elements of some lengths from the values at the start and at the end of each. Of a
/// periodic motion the last bound is the first.
///
/// # Panics
///
/// If there are no elements, or not as many values as lengths.
pub fn projected_velocities(lengths: &[f64], values: &[[f64; 2]], is_periodic: bool) -> Vec<f64> {
    assert!(!lengths.is_empty() && lengths.len() == values.len(), "an element has a length and two values");
    let (count, elements) = (lengths.len() + usize::from(!is_periodic), lengths.len());
    if is_periodic && elements == 1 {
        return vec![0.5 * (values[0][0] + values[0][1])];
    }
    let (mut diagonal, mut rhs) = (vec![0.0; count], vec![0.0; count]);
    // The entry between bound I and the next.
    let beside: Vec<f64> = lengths.iter().map(|h| h / 6.0).collect();
    for (k, (&side, [first, last])) in beside.iter().zip(values).enumerate() {
        let next = (k + 1) % count;
        diagonal[k] += 2.0 * side;
        diagonal[next] += 2.0 * side;
        rhs[k] += side * (2.0 * first + last);
        rhs[next] += side * (first + 2.0 * last);
    }
    if !is_periodic {
        tridiagonal(&diagonal, &beside, &mut rhs);
        return rhs;
    }
    // The corner c joins the last bound to the first. A = T + c u uᵀ with u = (1, 0, …, 0, 1), and
    // A⁻¹ = T⁻¹ − c T⁻¹u uᵀT⁻¹/(1 + c uᵀT⁻¹u).
    let corner = beside[elements - 1];
    let mut ends = vec![0.0; count];
    (ends[0], ends[count - 1]) = (1.0, 1.0);
    diagonal[0] -= corner;
    diagonal[count - 1] -= corner;
    let inner = &beside[..elements - 1];
    tridiagonal(&diagonal, inner, &mut rhs);
    tridiagonal(&diagonal, inner, &mut ends);
    let factor = corner * (rhs[0] + rhs[count - 1]) / (1.0 + corner * (ends[0] + ends[count - 1]));
    rhs.iter_mut().zip(&ends).for_each(|(x, end)| *x -= factor * end);
    rhs
}

/// x := T⁻¹ x of a symmetric matrix of three diagonals.
fn tridiagonal(diagonal: &[f64], beside: &[f64], x: &mut [f64]) {
    let mut pivots = diagonal.to_vec();
    for k in 1..pivots.len() {
        let factor = beside[k - 1] / pivots[k - 1];
        pivots[k] -= factor * beside[k - 1];
        x[k] -= factor * x[k - 1];
    }
    let last = pivots.len() - 1;
    x[last] /= pivots[last];
    for k in (0..last).rev() {
        x[k] = (x[k] - beside[k] * x[k + 1]) / pivots[k];
    }
}
