//! The continuous Galerkin element of degree one, with momenta at its ends.

use crate::runge_kutta::implicit::nodes;
use crate::time_elements::scheme::nodes::Nodes;
use crate::time_elements::scheme::{MOST, Part, Place, Row, Scheme, Square};

impl Scheme {
    /// Continuous Galerkin of degree one, for models of bodies.
    pub fn continuous() -> Self {
        let own = vec![0.5, 1.0];
        let nodes =
            Nodes { is_continuous: true, has_momenta: true, families: [own.clone(), own.clone(), own] };
        let unit = |j: usize| -> Row { std::array::from_fn(|m| f64::from(m == j)) };
        let square = |scale: f64| -> Square {
            std::array::from_fn(|i| unit(i).map(|x| if i < 2 { scale * x } else { 0.0 }))
        };
        let of = square(1.0);
        let pull_inverse = square(2.0);
        let place = |alpha: f64| nodes.place(&of, [alpha, 0.0]).with_pulled(&pull_inverse);
        // The velocity of the path, and that after it.
        let along = Place { stage: unit(0), start: 0.0, multiplier: unit(0), ..place(0.5) };
        let along = along.with_pulled(&pull_inverse);
        let after = Place { base: [0.0; MOST], slope: unit(1), path: [0.0; MOST], ..place(1.0) };
        let mut places = vec![(along, Part::Velocities), (after, Part::Velocities)];
        let mut integration = [[0.0; MOST]; MOST];
        for (j, test) in [|alpha: f64| 1.0 - alpha, |alpha: f64| alpha].into_iter().enumerate() {
            for (g, alpha) in nodes::gauss(2).into_iter().enumerate() {
                let (rate, start_rate) = match j {
                    0 => ([2.0, 0.0, 0.0, 0.0], -2.0),
                    _ => ([-2.0, 2.0, 0.0, 0.0], 0.0),
                };
                let at = Place {
                    multiplier: unit(j),
                    stage: unit(0),
                    start: 0.0,
                    rate,
                    start_rate,
                    ..place(alpha)
                };
                places.push((at.with_pulled(&pull_inverse), Part::Laws));
                integration[j][2 * j + g] = 0.5 * test(alpha);
            }
        }
        let end = place(1.0);
        places.extend([(end, Part::Positions), (end, Part::Rates)]);
        Scheme {
            degree: 1,
            is_continuous: true,
            closes: true,
            order: 2,
            balance: vec![along, after],
            joints: vec![along, Place { multiplier: unit(1), ..after }.with_pulled(&pull_inverse)],
            places,
            first: [2, 6],
            free: 6,
            end_node: 0,
            is_mechanical: true,
            end,
            nodes_of_velocities: of,
            integration,
            pull: square(0.5),
            level: of,
            velocity: of,
            variables: of,
            algebraic: of,
            name: "cg",
            nodes,
            pull_inverse,
        }
    }
}

impl Place {
    /// On a path of constant velocity; w goes evenly from w_b to w_e, the second of its numbers.
    pub(super) fn between_momenta(alpha: f64, weight: f64) -> Self {
        let of = |x: f64, y: f64| [x, y, 0.0, 0.0];
        Place {
            alpha,
            weight,
            base: of(alpha, 0.0),
            slope: of(1.0, 0.0),
            path: of(alpha, 0.0),
            stage: of(0.0, alpha),
            rate: of(0.0, 1.0),
            variable: of(0.0, alpha),
            variable_rate: of(0.0, 1.0),
            multiplier: of(0.5, 0.5),
            pulled: [0.0; MOST],
            start: 1.0 - alpha,
            start_rate: -1.0,
            correction: 0.0,
            jump_rate: 0.0,
        }
    }
}
