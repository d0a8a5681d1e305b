//! Random linear systems whose spectra are known, hidden by random changes of equations and unknowns: every
//! eigenvalue lies within its stated error, and nothing is said of the sign of a real part that is not true.

use poinsot_numerics::dense::{Mat, c64};
use poinsot_numerics::descriptor::{DOUBTFUL, Descriptor, DescriptorError};

/// xorshift64* of Vigna.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        let mut random = Random((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..8).for_each(|_| {
            random.number();
        });
        random
    }

    /// Uniform in −1 … 1.
    fn number(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// Matrices with the sums of the magnitudes of the terms of their entries.
#[derive(Clone)]
struct Measured {
    value: Mat<f64>,
    size: Mat<f64>,
}

impl Measured {
    fn zeros(n: usize) -> Self {
        Measured { value: Mat::zeros(n, n), size: Mat::zeros(n, n) }
    }

    fn set(&mut self, i: usize, j: usize, x: f64) {
        self.value[(i, j)] = x;
        self.size[(i, j)] = x.abs();
    }

    /// S m T.
    fn between(&self, s: &Mat<f64>, t: &Mat<f64>) -> Measured {
        let magnitude = |m: &Mat<f64>| Mat::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)].abs());
        Measured { value: s * &self.value * t, size: magnitude(s) * &self.size * magnitude(t) }
    }
}

/// A number between 10^low and 10^high.
fn decade(random: &mut Random, [low, high]: [f64; 2]) -> f64 {
    10f64.powf(low + (high - low) * (0.5 + 0.5 * random.number()))
}

fn pick(random: &mut Random, n: usize) -> usize {
    ((0.5 + 0.5 * random.number()) * n as f64) as usize % n
}

/// A system under construction: E ẋ = A x with what is known of its eigenvalues.
struct Known {
    e: Measured,
    a: Measured,
    values: Vec<c64>,
    used: usize,
}

impl Known {
    fn new(n: usize) -> Self {
        Known { e: Measured::zeros(n), a: Measured::zeros(n), values: vec![], used: 0 }
    }

    fn take(&mut self, count: usize) -> usize {
        self.used += count;
        self.used - count
    }

    /// m ẍ + c ẋ + k x = 0 from its eigenvalues −a ± b i.
    fn oscillator(&mut self, mass: f64, decay: f64, omega: f64) {
        let k = self.take(2);
        self.e.set(k, k, 1.0);
        self.a.set(k, k + 1, 1.0);
        self.e.set(k + 1, k + 1, mass);
        self.a.set(k + 1, k, -mass * (decay * decay + omega * omega));
        self.a.set(k + 1, k + 1, -2.0 * mass * decay);
        self.values.extend([c64::new(-decay, omega), c64::new(-decay, -omega)]);
    }

    /// ẋ = −x/T.
    fn filter(&mut self, time: f64, sign: f64) {
        let k = self.take(1);
        self.e.set(k, k, 1.0);
        self.a.set(k, k, -sign / time);
        self.values.push(c64::new(-sign / time, 0.0));
    }

    /// 0 = g x + h y with an x that stands in other equations as well: index 1.
    fn algebraic(&mut self, random: &mut Random) {
        let k = self.take(1);
        self.a.set(k, k, decade(random, [-4.0, 4.0]));
        for _ in 0..2 {
            let j = pick(random, k.max(1));
            if j != k {
                let x = decade(random, [-4.0, 4.0]) * random.number().signum();
                self.a.set(k, j, x);
            }
        }
    }

    /// A second place p = f x of the first oscillator with its own mass, held by a multiplier: index 3. The
    /// mass of the oscillator is less by f² m, so that its eigenvalues stay.
    fn tied(&mut self, place: usize, random: &mut Random) {
        let k = self.take(3);
        let f = random.number();
        let mass = self.e.value[(place + 1, place + 1)];
        let own = 0.3 * mass;
        // p˙ = u, m u˙ = μ, 0 = p − f x; the oscillator feels −f μ.
        self.e.set(k, k, 1.0);
        self.a.set(k, k + 1, 1.0);
        self.e.set(k + 1, k + 1, own);
        self.a.set(k + 1, k + 2, 1.0);
        self.a.set(k + 2, k, 1.0);
        self.a.set(k + 2, place, -f);
        self.e.value[(place + 1, place + 1)] = mass - f * f * own;
        self.e.size[(place + 1, place + 1)] = mass + f * f * own;
        self.a.set(place + 1, k + 2, -f);
    }

    /// The same with velocities tied: index 2, and one zero eigenvalue of the place p.
    fn geared(&mut self, place: usize, random: &mut Random) {
        let k = self.take(3);
        let f = random.number();
        let mass = self.e.value[(place + 1, place + 1)];
        let own = 0.3 * mass;
        self.e.set(k, k, 1.0);
        self.a.set(k, k + 1, 1.0);
        self.e.set(k + 1, k + 1, own);
        self.a.set(k + 1, k + 2, 1.0);
        self.a.set(k + 2, k + 1, 1.0);
        self.a.set(k + 2, place + 1, -f);
        self.e.value[(place + 1, place + 1)] = mass - f * f * own;
        self.e.size[(place + 1, place + 1)] = mass + f * f * own;
        self.a.set(place + 1, k + 2, -f);
        self.values.push(c64::new(0.0, 0.0));
    }
}

/// A unit triangular matrix with few entries, its columns in units of their own.
fn change(n: usize, lower: bool, fill: f64, decades: f64, random: &mut Random) -> Mat<f64> {
    let units: Vec<f64> = (0..n).map(|_| decade(random, [-decades, decades])).collect();
    Mat::from_fn(n, n, |i, j| {
        let off = if lower { i > j } else { j > i };
        let entry = match () {
            () if i == j => 1.0,
            () if off && random.number() > 1.0 - 2.0 * fill => random.number(),
            () => 0.0,
        };
        entry * units[j]
    })
}

/// What a case says.
#[derive(Default)]
struct Found {
    /// The largest error by the stated one.
    worst: f64,
    /// Eigenvalues that were said to be beside the axis, and all.
    said: usize,
    all: usize,
    /// Whether the errors were said to be doubtful, or the equations refused.
    doubtful: bool,
    refused: bool,
}

/// One case.
fn check(seed: u64) -> Found {
    let mut random = Random::new(seed);
    let fill = [0.0, 0.15, 0.4][pick(&mut random, 3)];
    // What is mixed with everything else is lost beside numbers 1e16 times as large; what is not may be of
    // any size.
    let (rates, times, masses) = match fill > 0.0 {
        true => ([-1.5, 1.5], [-1.5, 1.5], [0.0, 0.0]),
        false => ([-6.0, 6.0], [-9.0, 6.0], [-3.0, 3.0]),
    };
    let oscillators = 1 + pick(&mut random, 4);
    let filters = pick(&mut random, 4);
    let kind = pick(&mut random, 4);
    let algebraic = pick(&mut random, 3);
    let tied = if kind > 1 { 3 } else { 0 };
    let n = 2 * oscillators + filters + algebraic + tied;
    let mut known = Known::new(n);
    for _ in 0..oscillators {
        let omega = decade(&mut random, rates);
        let ratio = match pick(&mut random, 3) {
            0 => 0.0,
            1 => decade(&mut random, [-6.0, -0.5]),
            _ => -decade(&mut random, [-6.0, -0.5]),
        };
        let mass = decade(&mut random, masses);
        known.oscillator(mass, ratio * omega, omega);
    }
    for _ in 0..filters {
        let sign = if pick(&mut random, 5) == 0 { -1.0 } else { 1.0 };
        known.filter(decade(&mut random, times), sign);
    }
    (0..algebraic).for_each(|_| known.algebraic(&mut random));
    match kind {
        2 => known.tied(0, &mut random),
        3 => known.geared(0, &mut random),
        _ => {}
    }
    let decades = [0.0, 3.0][pick(&mut random, 2)];
    let [s, t] = [true, false].map(|lower| change(n, lower, fill, decades, &mut random));
    let (e, a) = (known.e.between(&s, &t), known.a.between(&s, &t));
    let system = Descriptor {
        e: e.value,
        a: a.value,
        e_size: e.size,
        a_size: a.size,
        b: Mat::zeros(n, 0),
        sizes: vec![1.0; n],
    };
    let reduction = match system.reduce() {
        Ok(reduction) => reduction,
        // What rounding has swallowed may be said to be gone.
        Err(DescriptorError::Singular { .. }) => return Found { refused: true, ..Found::default() },
        Err(error) => panic!("{seed}: {error}"),
    };
    let pairs = reduction.pencil.eigen_beside(&[]).unwrap();
    if pairs.len() < known.values.len() {
        let fastest = known.values.iter().map(|v| v.norm()).fold(0.0, f64::max);
        // What is taken for infinite may be said to be so, with how slow it may be.
        assert!(reduction.hidden < 10.0 * fastest, "{seed}: {:?}", reduction.states);
        return Found { refused: true, ..Found::default() };
    }
    assert_eq!(pairs.len(), known.values.len(), "{seed}: {:?}", reduction.states);
    let mut left = known.values.clone();
    let (mut worst, mut said) = (0.0, 0);
    // The surest first, each with the nearest that is left.
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    let relative = |k: usize| pairs[k].error / pairs[k].value.norm().max(f64::MIN_POSITIVE);
    order.sort_by(|&i, &j| relative(i).total_cmp(&relative(j)));
    for k in order {
        let pair = &pairs[k];
        let apart = |v: &c64| (v - pair.value).norm();
        let nearest = (0..left.len()).min_by(|&i, &j| apart(&left[i]).total_cmp(&apart(&left[j]))).unwrap();
        let exact = left.swap_remove(nearest);
        let share = (exact - pair.value).norm() / (pair.error + 4.0 * f64::EPSILON * exact.norm());
        worst = f64::max(worst, if exact == pair.value { 0.0 } else { share });
        if pair.value.re.abs() > pair.error {
            said += 1;
            assert_eq!(pair.value.re > 0.0, exact.re > 0.0, "{seed}: {} for {exact}", pair.value);
            assert!(exact.re != 0.0, "{seed}: {} ± {:e} for {exact}", pair.value, pair.error);
        }
    }
    let doubtful = reduction.doubt > DOUBTFUL;
    Found { worst: if doubtful { 0.0 } else { worst }, said, all: pairs.len(), doubtful, refused: false }
}

/// `SPECTRA=100000` tries so many systems.
#[test]
fn eigenvalues_lie_within_their_errors() {
    let cases = std::env::var("SPECTRA").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    let found: Vec<Found> = (0..cases).map(check).collect();
    let (said, all): (usize, usize) = (found.iter().map(|f| f.said).sum(), found.iter().map(|f| f.all).sum());
    let worst = found.iter().map(|f| f.worst).fold(0.0, f64::max);
    let count = |is: fn(&Found) -> bool| found.iter().filter(|f| is(f)).count();
    let (doubtful, refused) = (count(|f| f.doubtful), count(|f| f.refused));
    println!(
        "{cases} systems, {refused} refused, {doubtful} doubtful; {all} eigenvalues, {said} told from the axis, largest \
         error {worst:.2} of the stated"
    );
    let beyond: Vec<usize> = (0..found.len()).filter(|&k| found[k].worst > 1.0).collect();
    assert!(beyond.is_empty(), "{beyond:?} of {cases} beyond their errors, by {worst:.2}");
    // Everything mixed with everything by elimination of higher index is hard; most must be told all the
    // same.
    assert!(refused + doubtful < cases as usize / 5, "{refused} refused, {doubtful} doubtful");
}
