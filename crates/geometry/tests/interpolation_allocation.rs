//! Interpolation at a point does not allocate, for any number of nodes.
#![allow(unsafe_code, reason = "a global allocator cannot be had without")]

use poinsot_geometry::interpolation::*;
use poinsot_geometry::motion_parameters::Generator;
use poinsot_geometry::se3::{self, Pose};
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    work();
    ALLOCATIONS.with(Cell::get) - before
}

#[test]
fn bases_do_not_allocate() {
    let bases: [Box<dyn Basis>; 6] = [
        Box::new(Lagrange::gauss_lobatto(16).unwrap()),
        Box::new(chebyshev(40, 0.0, 1.0).unwrap()),
        Box::new(Fourier::new(15, 0.0, 1.0).unwrap()),
        Box::new(BSpline::clamped(5, 12, 0.0, 1.0).unwrap()),
        Box::new(BSpline::periodic(3, 12, 0.0, 1.0).unwrap()),
        Box::new(NodalSpline::greville(3, 16, 0.0, 1.0).unwrap()),
    ];
    for basis in bases {
        let (mut values, mut slopes) = (vec![0.0; basis.len()], vec![0.0; basis.len()]);
        assert_eq!(allocations(|| basis.evaluate(0.37, &mut values, &mut slopes)), 0);
    }
}

#[test]
fn points_do_not_allocate() {
    let k = Vec6::new(1.0, 0.2, 0.1, 0.3, -0.4, 0.5);
    let load = Vec6::new(3.0, 1.0, -1.0, 0.2, 0.4, 0.9);
    let metrics =
        [Metric::Matrix, Metric::Quaternion, Metric::Geodesic, Metric::Vector(Generator::WienerMilenkovic)];
    for n in [2, 4, 16] {
        let basis = Lagrange::gauss_lobatto(n).unwrap();
        let nodes: Vec<Pose> = basis.nodes().iter().map(|x| se3::exp(&(*x * k))).collect();
        let turns: Vec<Mat3> = nodes.iter().map(|pose| pose.rotation).collect();
        let (l, dl) = (basis.values(0.2), basis.derivatives(0.2));
        let mut blocks = vec![Mat6::zeros(); n * n];
        for metric in metrics {
            let mut motions = MotionInterpolation::new(metric, &nodes).unwrap();
            let mut rotations = RotationInterpolation::new(metric, &turns).unwrap();
            let count = allocations(|| {
                motions.set_nodes(&nodes).unwrap();
                motions.pose(&l).unwrap();
                let mut point = motions.at(&l, &dl).unwrap();
                point.curvature_hessian(&load, |i, j, block| blocks[n * i + j] = block);
                point.increment_hessian(&load, |i, j, block| blocks[n * i + j] += block);
                blocks[0] += point.increment(0) + point.curvature_increment(0);
                assert!(point.least_stiffness() > 0.0);
                rotations.set_nodes(&turns).unwrap();
                let mut point = rotations.at_node(0, &dl).unwrap();
                point.curvature_hessian(&Vec3::x(), |_, _, block| assert!(block.norm() < 1e3));
            });
            assert_eq!(count, 0, "{metric:?} with {n} nodes");
        }
    }
}
