//! Pleiades, seven bodies of unit mass (gs4-isochronous-integrators V-04).

use crate::common;

use common::{attach, law, order, tight, unit_point};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{Gs4, Gs4Form, Member, Settings, Stepper, Switches};
use poinsot_mechanics::forces::CoordinateForce;
use poinsot_mechanics::{Coordinate, System, SystemBuilder};

const X: [f64; 7] = [3.0, 3.0, -1.0, -3.0, 2.0, -2.0, 2.0];
const Y: [f64; 7] = [3.0, -3.0, 2.0, 0.0, 0.0, -4.0, 4.0];
const VX: [f64; 7] = [0.0, 0.0, 0.0, 0.0, 0.0, 1.75, -1.5];
const VY: [f64; 7] = [0.0, 0.0, 0.0, -1.25, 1.0, 0.0, 0.0];

fn cluster() -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let nodes: [usize; 7] =
        std::array::from_fn(|k| unit_point(&mut b, Vec3::new(X[k], Y[k], 0.0), Vec3::new(VX[k], VY[k], 0.0)));
    let at = |node| attach(node, Vec3::zeros(), Mat3::identity());
    for i in 0..7 {
        for j in 0..i {
            let gravitation = CoordinateForce {
                coordinate: Coordinate::distance(&at(nodes[j]), &at(nodes[i])),
                stiffness: 0.0,
                damping: 0.0,
                free: 0.0,
                law: Some(law("1/s^2")),
            };
            b.force("gravitation", Box::new(gravitation));
        }
    }
    b.build()
}

/// "body 2 (x,y,vx,vy,ax,ay)" at t = 3.
const BODY2: [[f64; 2]; 3] =
    [[2.353454784633, -3.077194141054], [0.054390545110, -0.655894428866], [0.584677910585, 0.303932127016]];

/// Errors of position, velocity and stored acceleration of body 2 at t = 3; the last means something where φ
/// = 0.
fn errors(member: Member, switches: Switches, h: f64) -> [f64; 3] {
    let system = cluster();
    let settings = Settings { switches, ..tight(member, Gs4Form::Stabilised) };
    let mut gs4 = Gs4::new(&system, settings, system.start_state(0.0), h).unwrap();
    for _ in 0..(3.0 / h).round() as usize {
        gs4.step(h).unwrap();
    }
    let r = gs4.state().frames[2].r;
    let v = &gs4.state().v[system.nodes()[2].unknowns()];
    let norm = |got: [f64; 2], exact: [f64; 2]| (got[0] - exact[0]).hypot(got[1] - exact[1]);
    let a = &gs4.stored_acceleration()[system.nodes()[2].unknowns()];
    [norm([r.x, r.y], BODY2[0]), norm([v[0], v[1]], BODY2[1]), norm([a[0], a[1]], BODY2[2])]
}

#[test]
fn printed_errors_and_orders() {
    let implicit = Switches::IMPLICIT;
    let table = [
        (Member::u0(1.0, 1.0, 1.0), [3.590e-6, 1.306e-5], [2.01, 2.01]),
        (Member::v0(1.0, 1.0, 0.0), [3.590e-6, 1.306e-5], [2.01, 2.01]),
        (Member::u0(0.0, 1.0, 0.0), [1.206e-5, 4.876e-5], [2.28, 2.32]),
    ];
    for (member, printed, orders) in table {
        let (coarse, fine) = (errors(member, implicit, 1e-3), errors(member, implicit, 5e-4));
        for k in 0..2 {
            assert!(
                (coarse[k] / printed[k] - 1.0).abs() < 0.01,
                "{member:?}: {coarse:?}, printed {printed:?}"
            );
            assert!((order(coarse[k], fine[k]) - orders[k]).abs() < 0.015, "{member:?}: {coarse:?} {fine:?}");
        }
    }
}

/// "MPR-EPA … 3.422e-5 (a)", which has φ = 0.
#[test]
fn printed_error_of_the_acceleration() {
    let [.., a] = errors(Member::u0(1.0, 1.0, 1.0), Switches::IMPLICIT, 1e-3);
    assert!((a / 3.422e-5 - 1.0).abs() < 0.01, "{a:.3e}");
}

/// Explicit members on the same problem are of second order.
#[test]
fn explicit_members() {
    let cases = [
        (Member::u0(1.0, 1.0, 0.0), Switches::EXPLICIT),
        (Member::u0(0.5, 1.0, 0.5), Switches::EXPLICIT_DISSIPATIVE),
    ];
    for (member, switches) in cases {
        let (coarse, fine) = (errors(member, switches, 1e-4), errors(member, switches, 5e-5));
        for k in 0..2 {
            let got = order(coarse[k], fine[k]);
            assert!((got - 2.0).abs() < 0.1, "{member:?}: order {got:.3}: {coarse:?} {fine:?}");
        }
    }
}
