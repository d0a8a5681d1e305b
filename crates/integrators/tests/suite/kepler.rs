//! Kepler's problem (gs4-isochronous-integrators I-33, V-07): ten periods at h = 0.01.

use crate::common;

use common::{attach, law, tight, unit_point};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{Gs4, Gs4Form, Member, Stepper};
use poinsot_mechanics::forces::CoordinateForce;
use poinsot_mechanics::{Coordinate, GROUND, System, SystemBuilder};

const H: f64 = 0.01;
/// Steps that fit in ten periods.
const STEPS: usize = 6283;

/// H=½|p|²−1/|q|; q(0)=(1−e,0), p(0)=(0,√((1+e)/(1−e))).
fn orbit(e: f64) -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let speed = ((1.0 + e) / (1.0 - e)).sqrt();
    let node = unit_point(&mut b, Vec3::x() * (1.0 - e), Vec3::y() * speed);
    let ground = attach(GROUND, Vec3::zeros(), Mat3::identity());
    let planet = attach(node, Vec3::zeros(), Mat3::identity());
    let gravitation = CoordinateForce {
        coordinate: Coordinate::distance(&ground, &planet),
        stiffness: 0.0,
        damping: 0.0,
        free: 0.0,
        law: Some(law("1/s^2")),
    };
    b.force("gravitation", Box::new(gravitation));
    b.build()
}

/// H, J and the Laplace–Runge–Lenz vector p×J − q/|q|.
fn invariants(q: &Vec3, p: &Vec3) -> (f64, f64, Vec3) {
    let j = q.cross(p);
    (0.5 * p.norm_squared() - 1.0 / q.norm(), j.z, p.cross(&j) - q / q.norm())
}

struct Run {
    /// Largest errors of H, J and of the vector.
    errors: [f64; 3],
    end: Vec3,
    path: Vec<Vec3>,
}

fn run(member: Member, e: f64) -> Run {
    let system = orbit(e);
    let x = system.nodes()[1].unknowns();
    let mut gs4 = Gs4::new(&system, tight(member, Gs4Form::Stabilised), system.start_state(0.0), H).unwrap();
    let mut a = vec![0.0; system.size()];
    a[x.start] = -1.0 / (1.0 - e).powi(2);
    gs4.set_stored_acceleration(&a);
    let read = |gs4: &Gs4| (gs4.state().frames[1].r, Vec3::from_column_slice(&gs4.state().v[x.clone()]));
    let (q, p) = read(&gs4);
    let (h0, j0, l0) = invariants(&q, &p);
    assert!((h0 + 0.5).abs() < 1e-14 && (j0 - (1.0 - e * e).sqrt()).abs() < 1e-14);
    assert!((l0 - Vec3::x() * e).amax() < 1e-14);
    let (mut errors, mut path) = ([0.0f64; 3], vec![]);
    for _ in 0..STEPS {
        gs4.step(H).unwrap();
        let (q, p) = read(&gs4);
        let (h, j, l) = invariants(&q, &p);
        for (worst, now) in errors.iter_mut().zip([(h - h0).abs(), (j - j0).abs(), (l - l0).norm()]) {
            *worst = worst.max(now);
        }
        path.push(q);
    }
    Run { errors, end: read(&gs4).0, path }
}

fn check(e: f64, table: &[(Member, [f64; 3])], within: f64) {
    for (member, expected) in table {
        let Run { errors, .. } = run(*member, e);
        for (got, expected) in errors.iter().zip(expected) {
            let right = if *expected == 0.0 { *got <= 1e-12 } else { (got / expected - 1.0).abs() < within };
            assert!(right, "e = {e}, {member:?}: {errors:?}, {got:.3e} instead of {expected:.3e}");
        }
    }
}

/// "max errors of H, J, LRL … Assert: ΔJ at solver tolerance for V0(1,1,·) and (1,1,1)"; 0 stands for that.
#[test]
fn eccentricity_0_6() {
    let midpoint = [4.224e-4, 0.0, 8.094e-3];
    let table = [
        (Member::u0(1.0, 1.0, 1.0), midpoint),
        (Member::v0(1.0, 1.0, 0.0), midpoint),
        (Member::v0(1.0, 1.0, 0.5), midpoint),
        (Member::u0(1.0, 1.0, 0.5), [2.816e-4, 3.418e-5, 7.985e-3]),
        (Member::u0(1.0, 1.0, 0.0), [8.446e-4, 3.076e-4, 7.857e-3]),
        (Member::u0(0.9, 1.0, 0.9), [4.177e-4, 1.689e-6, 8.121e-3]),
        (Member::u0(0.7, 1.0, 0.7), [3.732e-4, 1.895e-5, 8.411e-3]),
        (Member::u0(0.5, 1.0, 0.5), [2.635e-4, 6.744e-5, 9.250e-3]),
    ];
    check(0.6, &table, 0.05);
}

#[test]
fn eccentricity_0_9() {
    let midpoint = [1.239e-1, 0.0, 6.907e-1];
    let table = [
        (Member::u0(1.0, 1.0, 1.0), midpoint),
        (Member::v0(1.0, 1.0, 0.0), midpoint),
        (Member::v0(1.0, 1.0, 0.5), midpoint),
        (Member::u0(1.0, 1.0, 0.5), [8.240e-2, 1.211e-3, 6.317e-1]),
        (Member::u0(1.0, 1.0, 0.0), [2.424e-1, 1.090e-2, 1.737e-1]),
        (Member::u0(0.9, 1.0, 0.9), [1.233e-1, 2.169e-4, 6.930e-1]),
        (Member::u0(0.7, 1.0, 0.7), [1.252e-1, 8.515e-4, 7.153e-1]),
        (Member::u0(0.5, 1.0, 0.5), [1.764e-1, 3.662e-3, 7.780e-1]),
    ];
    check(0.9, &table, 0.05);
}

/// "identical (q,v) for all V0(1,1,rs). q(20π), e=.6, V0(1,1,·): (0.379922, 0.156325)".
#[test]
fn midpoint_orbits_are_the_same() {
    let base = run(Member::v0(1.0, 1.0, 0.0), 0.6);
    assert!((base.end - Vec3::new(0.379922, 0.156325, 0.0)).amax() < 2e-6, "{:?}", base.end);
    for rho_s in [0.5, 1.0] {
        let other = run(Member::v0(1.0, 1.0, rho_s), 0.6);
        let apart = base.path.iter().zip(&other.path).fold(0.0, |m, (p, q)| f64::max(m, (p - q).amax()));
        assert!(apart < 1e-10, "V0(1,1,{rho_s}) is off by {apart:.3e}");
    }
}
