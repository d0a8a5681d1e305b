//! How far flexible bodies deform over a study, how fast they spin, and their largest stress.

use poinsot_flexible::ReducedBody;
use poinsot_geometry::Vec3;
use poinsot_mechanics::{Instant, State, System};
use poinsot_model::spec::{BodyRef, FlexibleSpec};
use poinsot_model::{Assembly, Model};
use poinsot_results::{FlexibleAudit, LargestOf};

/// Elastic displacement as a share of the length above which shapes of small deformations are doubtful.
const DISPLACEMENT_LIMIT: f64 = 0.1;
/// Rotation of an interface above which they are (rad).
const ROTATION_LIMIT: f64 = 0.1;
/// Spin, as a share of the lowest frequency, above which stress without stiffness is doubtful: centrifugal
/// stress changes the frequency by about half of the square.
const SPIN_LIMIT: f64 = 0.1;
/// Products that a sample may cost on the average.
const WORK: usize = 100_000;

/// Watches the flexible bodies of a model.
#[derive(Default)]
pub struct FlexibleMonitor(Vec<Watched>);

struct Watched {
    audit: FlexibleAudit,
    /// The size of the body (m).
    length: f64,
    /// The largest displacement of a point in each shape.
    sizes: Vec<f64>,
    /// Places and stresses of the whole surface are looked at in each of so many samples.
    stride: usize,
    samples: usize,
}

impl FlexibleMonitor {
    /// Of bodies that nobody has looked at yet; `along` as in [`FlexibleAudit`].
    pub fn new(model: &Model, along: &str) -> Self {
        FlexibleMonitor(model.flexible.iter().map(|spec| Watched::new(spec, along)).collect())
    }

    /// Looks at an instant, the place of which along the study is `place`.
    pub fn note(&mut self, system: &System, assembly: &Assembly, model: &Model, at: &Instant, place: f64) {
        for (k, (watched, spec)) in self.0.iter_mut().zip(&model.flexible).enumerate() {
            let amounts: Vec<f64> = assembly.shapes[k].iter().map(|node| at.frames[*node].r.x).collect();
            watched.note_deformation(spec, &amounts, place);
            let node = assembly.node(BodyRef::Body(spec.frame));
            let motion = system.angular_motion(node, at);
            let spin = motion.velocity_body + motion.rotation.tr_mul(&system.frame_rate);
            watched.note_spin(spin.norm(), place);
        }
    }

    /// What was found.
    pub fn audits(&self) -> Vec<FlexibleAudit> {
        self.0.iter().map(|watched| watched.audit.clone()).collect()
    }
}

/// The audit of one state.
pub fn deformation_at(
    model: &Model,
    system: &System,
    assembly: &Assembly,
    state: &State,
) -> Vec<FlexibleAudit> {
    let mut monitor = FlexibleMonitor::new(model, "");
    let zero = vec![0.0; system.size()];
    monitor.note(system, assembly, model, &poinsot_integrators::instant(state, &zero), state.t);
    monitor.audits()
}

impl Watched {
    fn new(spec: &FlexibleSpec, along: &str) -> Self {
        let body = &spec.body;
        let lowest = if body.geometric.is_none() { body.lowest_held_frequency() } else { None };
        let (n, nodes) = (body.size(), body.nodes.len());
        let places = body.stresses.as_ref().map_or(0, |stresses| stresses.nodes.len());
        Watched {
            audit: FlexibleAudit {
                body: spec.name.clone(),
                along: along.to_owned(),
                displacement: LargestOf::below(DISPLACEMENT_LIMIT),
                rotation: (!body.interfaces.is_empty()).then(|| LargestOf::below(ROTATION_LIMIT)),
                spin: lowest.map(|_| LargestOf::below(SPIN_LIMIT)),
                lowest,
                stress: body.stresses.as_ref().map(|_| LargestOf::below(f64::MAX)),
            },
            length: extent(body),
            sizes: (0..n).map(|k| largest_displacement(body, &unit(n, k))).collect(),
            stride: (n * (3 * nodes + 6 * places)).div_ceil(WORK).max(1),
            samples: 0,
        }
    }

    fn note_deformation(&mut self, spec: &FlexibleSpec, amounts: &[f64], place: f64) {
        let (body, audit) = (&*spec.body, &mut self.audit);
        let due = self.samples.is_multiple_of(self.stride);
        self.samples += 1;
        // No point moves farther than this; one sum over the shapes spares the sums over all points.
        let bound: f64 = amounts.iter().zip(&self.sizes).map(|(q, size)| (q * size).abs()).sum();
        let (share, largest) = (bound / self.length, &mut audit.displacement);
        if share > largest.value && (due || share > largest.limit) {
            largest.note(largest_displacement(body, amounts) / self.length, place, String::new);
        }
        if let Some(rotation) = &mut audit.rotation {
            for interface in &body.interfaces {
                let turn: Vec3 = interface.rotations.iter().zip(amounts).map(|(turn, q)| turn * *q).sum();
                let name = || format!("{}.{}", spec.name, interface.name);
                rotation.note(turn.norm().min(1.0).asin(), place, name);
            }
        }
        if let (true, Some(stress), Some(stresses)) = (due, &mut audit.stress, &body.stresses) {
            let (node, value) = stresses.largest(amounts);
            let x = body.nodes[node];
            stress.note(value, place, || format!("[{:.4}, {:.4}, {:.4}]", x.x, x.y, x.z));
        }
    }

    fn note_spin(&mut self, rate: f64, place: f64) {
        if let (Some(spin), Some(lowest)) = (&mut self.audit.spin, self.audit.lowest) {
            spin.note(rate / lowest, place, String::new);
        }
    }
}

fn unit(n: usize, k: usize) -> Vec<f64> {
    (0..n).map(|i| f64::from(u8::from(i == k))).collect()
}

/// The diagonal of the box around a body.
fn extent(body: &ReducedBody) -> f64 {
    let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    body.nodes.iter().for_each(|x| (low, high) = (low.inf(x), high.sup(x)));
    let length = (high - low).norm();
    if length.is_finite() && length > 0.0 { length } else { f64::INFINITY }
}

/// The largest |Σ_k S_k q_k| of a node.
fn largest_displacement(body: &ReducedBody, amounts: &[f64]) -> f64 {
    let mut sum = vec![0.0; body.shapes.nrows()];
    for (shape, q) in body.shapes.column_iter().zip(amounts).filter(|(_, q)| **q != 0.0) {
        sum.iter_mut().zip(shape.iter()).for_each(|(sum, s)| *sum += s * q);
    }
    sum.chunks(3).map(|u| u[0].hypot(u[1]).hypot(u[2])).fold(0.0, f64::max)
}
