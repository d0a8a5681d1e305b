//! Two steps of a linear forced oscillator, digit by digit (gs4-isochronous-integrators V-01).

use crate::common;

use common::{along_x, attach, law, tight, unit_point};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{Gs4, Gs4Form, Member, Settings, Stepper, Switches};
use poinsot_mechanics::forces::CoordinateForce;
use poinsot_mechanics::{Coordinate, GROUND, System, SystemBuilder};

const OMEGA: f64 = 2.0;
const XI: f64 = 0.1;

/// q̈ + 2ξω q̇ + ω² q = sin t with q0 = 1, v0 = ½, as a point on the x-axis.
fn oscillator() -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let node = unit_point(&mut b, Vec3::x(), Vec3::x() * 0.5);
    let ground = attach(GROUND, Vec3::zeros(), along_x());
    let point = attach(node, Vec3::zeros(), Mat3::identity());
    let spring = CoordinateForce {
        coordinate: Coordinate::displacement(&ground, &point),
        stiffness: OMEGA * OMEGA,
        damping: 2.0 * XI * OMEGA,
        free: 0.0,
        law: Some(law("-sin(t)")),
    };
    b.force("spring", Box::new(spring));
    b.build()
}

/// "q̈+2ξωq̇+ω²q=sin t, ω=2, ξ=.1, q0=1, v0=.5, a⁰ from the balance, h=.25, load at t_{n+W1}; state after 2
/// steps (q, v, raw a)".
#[test]
fn two_steps_of_a_forced_oscillator() {
    let table = [
        (Member::u0(1.0, 1.0, 1.0), [0.794973966787, -1.196241853743, -2.218203534249]),
        (Member::v0(1.0, 1.0, 1.0), [0.794973966787, -1.196241853743, -2.218203534249]),
        (Member::u0(1.0, 1.0, 0.0), [0.794820314918, -1.197033875996, -2.221042170669]),
        (Member::v0(1.0, 1.0, 0.0), [0.794973966787, -1.196241853743, -2.897034591048]),
        (Member::u0(0.5, 1.0, 0.5), [0.797066136793, -1.188671905429, -2.475435931548]),
        (Member::u0(0.0, 1.0, 0.0), [0.806642613340, -1.147555893066, -2.791617171830]),
        (Member::u0(0.8, 0.8, 0.8), [0.795817267598, -1.194745207225, -2.396248446927]),
        (Member::v0(0.3, 0.7, 0.1), [0.804391966862, -1.158761963470, -2.727785069317]),
    ];
    let table = table.map(|(member, expected)| (member, Switches::IMPLICIT, expected)).into_iter();
    let explicit =
        (Member::u0(1.0, 1.0, 0.0), Switches::EXPLICIT, [0.768275247453, -1.159091015824, -2.057536045098]);
    let system = oscillator();
    let x = system.nodes()[1].unknowns().start;
    for form in [Gs4Form::Velocity, Gs4Form::Stabilised] {
        for (member, switches, expected) in table.clone().chain([explicit]) {
            let settings = Settings { switches, ..tight(member, form) };
            let mut gs4 = Gs4::new(&system, settings, system.start_state(0.0), 0.25).unwrap();
            let mut a = vec![0.0; system.size()];
            a[x] = -2.0 * XI * OMEGA * 0.5 - OMEGA * OMEGA;
            gs4.set_stored_acceleration(&a);
            for _ in 0..2 {
                gs4.step(0.25).unwrap();
            }
            let got = [gs4.state().frames[1].r.x, gs4.state().v[x], gs4.stored_acceleration()[x]];
            for (got, expected) in got.iter().zip(expected) {
                assert!((got - expected).abs() < 1e-11, "{member:?} {form:?}: {got} instead of {expected}");
            }
            assert!(gs4.state().frames[1].r.yz().amax() == 0.0, "the motion leaves the line");
        }
    }
}
