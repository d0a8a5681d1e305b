//! Lagrange interpolation over a beam element, with nodes at the Gauss–Lobatto points of ξ in [−1, 1].
//!
//! Between nodes interpolated directors are not quite orthonormal; the error is a multiple of Π(ξ − ξ_a). At
//! these points it is orthogonal to the strains of lower degree, and the order of convergence is 2p. With
//! nodes at equal distances cubic elements were measured to be of order four only.

use poinsot_geometry::interpolation::Quadrature;

/// Most nodes of an element, of order 8.
pub(crate) const MAX_NODES: usize = 9;

/// N_a and dN_a/dξ at a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub value: [f64; MAX_NODES],
    pub slope: [f64; MAX_NODES],
}

/// ξ of the nodes of an element of order p: the ends and the zeros of P_p′.
pub(crate) fn node_places(order: usize) -> Vec<f64> {
    // 1/√5.
    const INNER: f64 = 0.447_213_595_499_957_9;
    match order {
        0 | 1 => vec![-1.0, 1.0],
        2 => vec![-1.0, 0.0, 1.0],
        3 => vec![-1.0, -INNER, INNER, 1.0],
        _ => Quadrature::gauss_lobatto(order + 1).points,
    }
}

/// Where the nodes of a beam of equal elements of an order from 1 to 8 belong, as shares of its length.
pub fn node_shares(elements: usize, order: usize) -> Vec<f64> {
    let places = node_places(order);
    let place = |e: usize, xi: f64| (e as f64 + 0.5 * (1.0 + xi)) / elements as f64;
    let inner = (0..elements).flat_map(|e| places[1..].iter().map(move |xi| place(e, *xi)));
    std::iter::once(0.0).chain(inner).collect()
}

/// The Lagrange polynomials through the given places and their slopes, at ξ.
pub(crate) fn lagrange(places: &[f64], xi: f64) -> Shape {
    let mut shape = Shape { value: [0.0; MAX_NODES], slope: [0.0; MAX_NODES] };
    let n = places.len();
    for a in 0..n {
        let others = |skip: usize| (0..n).filter(move |&b| b != a && b != skip);
        let factor = |b: usize| (xi - places[b]) / (places[a] - places[b]);
        shape.value[a] = others(a).map(factor).product();
        shape.slope[a] =
            others(a).map(|c| others(c).map(factor).product::<f64>() / (places[a] - places[c])).sum();
    }
    shape
}

/// N_a of an element of n nodes at ξ.
pub(crate) fn shape(n: usize, xi: f64) -> Shape {
    lagrange(&node_places(n - 1), xi)
}

/// N_a of the nodes of an element of an order from 1 to 8 at ξ.
pub fn node_weights(order: usize, xi: f64) -> Vec<f64> {
    shape(order + 1, xi).value[..=order].to_vec()
}

/// ξ of the Gauss points of an element of order p, where strains and stress resultants are most accurate.
pub fn gauss_places(order: usize) -> Vec<f64> {
    Quadrature::gauss_legendre(order).points
}
