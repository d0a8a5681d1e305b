//! Modes of one value of a parameter recognised at the next, by their shapes.
//!
//! With the inner product of the masses and complex shapes y, the modal assurance criterion is
//!
//! ```text
//! MAC(y₁, y₂) = |y₁ᴴ M y₂|²/(y₁ᴴ M y₁ · y₂ᴴ M y₂)
//! ```
//! A gyroscopic system has more modes than directions, so shapes alone do not tell them apart: the likeness
//! of two modes is MAC/(1 + |λ₁ − λ₂|²/w²), w a share of the eigenvalues. Eigenvalues that coincide have no
//! shapes of their own, only a space of them; the criterion then takes the projection onto it, which also
//! carries a mode through a crossing. Through λ = 0 a mode goes on as its conjugate, −ω: as a whirl does,
//! seen from axes that begin to turn faster than it.

use crate::linear::Linear;
use crate::modes::{EigenMethod, Mode, Modes, ModesError, find_modes};
use crate::steadiness::Changing;
use poinsot_geometry::Vec3;
use poinsot_mechanics::{NodeId, State, System};
use poinsot_numerics::dense::c64;

/// Eigenvalues nearer than this, relative to their size, count as one.
pub(crate) const SAME: f64 = 1e-7;
/// Width of the likeness of eigenvalues: share of their own size, and of the mean size of those followed.
const WIDTH: [f64; 2] = [0.25, 0.1];
/// Growth, relative to the eigenvalue, above which a mode is unstable; what is on the imaginary axis is so
/// only to rounding.
const GROWING: f64 = 1e-6;
/// Share of the motion across the axis below which a mode has no whirl.
const ACROSS: f64 = 1e-2;
/// Likeness below which a mode is not taken for the continuation of another.
const UNLIKE: f64 = 1e-3;

/// The modes at one value of the parameter, ready to be compared.
#[derive(Clone, Debug)]
pub struct Spectrum {
    /// Speed of rotation (rad/s).
    pub speed: f64,
    /// The modes, more of them than are followed; yᴴ M y = 1.
    pub modes: Vec<Mode>,
    /// M y of each mode, on the unknowns of bodies.
    momenta: Vec<Vec<c64>>,
    /// Sense of whirl of each mode: 1 a circle forwards, −1 backwards, 0 a line; none without motion across
    /// the axis.
    whirls: Vec<Option<f64>>,
    /// How they were found.
    pub method: EigenMethod,
    /// Whether all eigenvalues were looked at.
    pub complete: bool,
    /// See [`Modes::changing`].
    pub changing: Option<Changing>,
    /// See [`Modes::unresolved`].
    pub unresolved: usize,
}

impl Mode {
    /// Growth that is none: rounding leaves that much open.
    pub(crate) fn least_growth(&self) -> f64 {
        self.error.max(GROWING * self.value.norm())
    }
}

impl Spectrum {
    /// The lowest modes about a state, more than `count` if there are so many, at a speed of rotation about
    /// `axis` (world axes).
    pub fn about(
        system: &System,
        (state, a): (&State, &[f64]),
        observer: NodeId,
        count: usize,
        (speed, axis): (f64, Option<Vec3>),
    ) -> Result<Self, ModesError> {
        // Room for zero eigenvalues and for those that come down as the parameter changes.
        let Modes { mut modes, method, complete, changing, unresolved, .. } =
            find_modes(system, state, a, observer, 2 * count + 8)?;
        let linear = Linear::about(system, state, a, observer);
        let (mut momenta, mut whirls) = (vec![], vec![]);
        for mode in &mut modes {
            let mut p = momentum(system, &linear, &mode.shape);
            let size = product(&mode.shape, &p).re.max(0.0).sqrt();
            if size > 0.0 {
                mode.shape.iter_mut().chain(&mut p).for_each(|x| *x /= size);
            }
            whirls.push(axis.and_then(|axis| whirl(system, &linear, state, &mode.shape, &axis)));
            momenta.push(p);
        }
        Ok(Spectrum { speed, modes, momenta, whirls, method, complete, changing, unresolved })
    }

    /// The mode that grows most, if one does.
    pub(crate) fn growing(&self) -> Option<&Mode> {
        let growing = self.modes.iter().filter(|mode| mode.value.re > mode.least_growth());
        growing.max_by(|a, b| a.value.re.total_cmp(&b.value.re))
    }

    /// The mode that grows most or decays least, freedoms without stiffness left out.
    pub(crate) fn fastest(&self) -> Option<&Mode> {
        let moving = self.modes.iter().filter(|mode| mode.value.norm() > 0.0);
        moving.max_by(|a, b| a.value.re.total_cmp(&b.value.re))
    }

    /// The largest growth, less what is none unless it is asked for sharply.
    pub(crate) fn growth(&self, sharp: bool) -> f64 {
        let of = |mode: &Mode| mode.value.re - if sharp { 0.0 } else { mode.least_growth() };
        // Freedoms without stiffness neither grow nor decay.
        let moving = self.modes.iter().filter(|mode| mode.value.norm() > 0.0);
        moving.map(of).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// M y on the unknowns of bodies.
fn momentum(system: &System, linear: &Linear, shape: &[c64]) -> Vec<c64> {
    let part = |of: fn(&c64) -> f64| {
        let mut y = vec![0.0; shape.len()];
        system.nodes().iter().flat_map(|n| n.unknowns()).for_each(|i| y[i] = of(&shape[i]));
        let mut my = vec![0.0; shape.len()];
        system.pattern().multiply(&linear.mass, &y, &mut my);
        my
    };
    let (re, im) = (part(|c| c.re), part(|c| c.im));
    let mut out = vec![c64::new(0.0, 0.0); shape.len()];
    system.nodes().iter().flat_map(|n| n.unknowns()).for_each(|i| out[i] = c64::new(re[i], im[i]));
    out
}

/// The sense in which a mode goes about an axis n. A motion a cos ωt − b sin ωt has u × u̇ = −ω a × b, so the
/// measure is −2 Σ m n·(a × b)/Σ m (|a|² + |b|²), with parts across the axis only, of places and of tilts.
fn whirl(system: &System, linear: &Linear, state: &State, shape: &[c64], axis: &Vec3) -> Option<f64> {
    let [re, im] = [|c: &c64| c.re, |c: &c64| c.im].map(|of| shape.iter().map(of).collect::<Vec<f64>>());
    let diagonal = |i: usize| system.pattern().index(i, i).map_or(0.0, |slot| linear.mass[slot]);
    let (mut sense, mut across, mut total) = (0.0, 0.0, 0.0);
    for (k, node) in system.nodes().iter().enumerate() {
        let (places, unknowns) = (node.chart.linear_dofs(), node.unknowns());
        let [a, b] = [&re, &im].map(|part| system.twist(k, part));
        let tilt = |w: Vec3| state.frames[k].rot * w;
        let first = |range: std::ops::Range<usize>| range.map(diagonal).fold(0.0, f64::max);
        let parts = [
            (first(unknowns.start..unknowns.start + places), a.linear, b.linear),
            (first(unknowns.start + places..unknowns.end), tilt(a.angular), tilt(b.angular)),
        ];
        for (mass, a, b) in parts {
            let square = |v: &Vec3| v.norm_squared() - v.dot(axis).powi(2);
            sense -= 2.0 * mass * axis.dot(&a.cross(&b));
            across += mass * (square(&a) + square(&b));
            total += mass * (a.norm_squared() + b.norm_squared());
        }
    }
    (total > 0.0 && across > ACROSS * total).then(|| sense / across)
}

/// Where a followed mode is at a value.
#[derive(Clone, Debug)]
pub(crate) struct Track {
    /// Eigenvalue, with the sign of its imaginary part on the way.
    value: c64,
    /// The same with an imaginary part that is not negative.
    pub reported: c64,
    /// Sense of whirl.
    pub whirl: Option<f64>,
    /// MAC with the value before.
    pub assurance: f64,
    pub shape: Vec<c64>,
    momentum: Vec<c64>,
    /// Where it begins with an eigenvalue that is not simple: the space of its shapes.
    space: Option<Space>,
}

/// An orthonormal basis e of shapes, with M e.
#[derive(Clone, Debug)]
struct Space(Vec<(Vec<c64>, Vec<c64>)>);

fn product(x: &[c64], my: &[c64]) -> c64 {
    x.iter().zip(my).map(|(x, my)| x.conj() * my).sum()
}

fn conjugate(x: &[c64]) -> Vec<c64> {
    x.iter().map(|x| x.conj()).collect()
}

/// x += factor y.
fn add(x: &mut [c64], factor: c64, y: &[c64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += factor * y);
}

impl Space {
    /// Of the modes of a spectrum whose eigenvalue is that of mode `k`.
    fn of(spectrum: &Spectrum, k: usize) -> Space {
        let value = spectrum.modes[k].value;
        let same = |mode: &Mode| (mode.value - value).norm() <= SAME * value.norm();
        let mut basis: Vec<(Vec<c64>, Vec<c64>)> = vec![];
        for (mode, momentum) in spectrum.modes.iter().zip(&spectrum.momenta).filter(|(m, _)| same(m)) {
            let (mut e, mut me) = (mode.shape.clone(), momentum.clone());
            for (f, mf) in &basis {
                let share = -product(f, &me);
                add(&mut e, share, f);
                add(&mut me, share, mf);
            }
            let length = product(&e, &me).re.max(0.0).sqrt();
            // Shapes of a defective eigenvalue coincide.
            if length > 1e-6 {
                e.iter_mut().chain(&mut me).for_each(|x| *x /= length);
                basis.push((e, me));
            }
        }
        Space(basis)
    }

    /// Share of a unit shape in the space.
    fn share(&self, y: &[c64]) -> f64 {
        // Without mass there is nothing to compare.
        let inside = self.0.iter().map(|(_, me)| product(y, me).norm_sqr()).sum::<f64>();
        if self.0.is_empty() { 1.0 } else { inside.min(1.0) }
    }

    /// The projection of a shape, made unit, with its momentum.
    fn shadow(&self, y: &[c64]) -> (Vec<c64>, Vec<c64>) {
        let mut shadow = vec![c64::new(0.0, 0.0); y.len()];
        let mut momentum = shadow.clone();
        for (e, me) in &self.0 {
            let share = product(y, me).conj();
            add(&mut shadow, share, e);
            add(&mut momentum, share, me);
        }
        let size = product(&shadow, &momentum).re.max(f64::MIN_POSITIVE).sqrt();
        shadow.iter_mut().chain(&mut momentum).for_each(|x| *x /= size);
        (shadow, momentum)
    }
}

impl Track {
    /// A track that begins with a mode.
    fn begin(spectrum: &Spectrum, k: usize) -> Track {
        let (mode, space) = (&spectrum.modes[k], Space::of(spectrum, k));
        Track {
            value: mode.value,
            reported: mode.value,
            whirl: spectrum.whirls[k],
            assurance: 1.0,
            shape: mode.shape.clone(),
            momentum: spectrum.momenta[k].clone(),
            space: (space.0.len() > 1).then_some(space),
        }
    }

    /// The shape that belongs to the reported eigenvalue; on the way a mode may be followed as its conjugate.
    pub fn motion(&self) -> Vec<c64> {
        if self.value.im < 0.0 { conjugate(&self.shape) } else { self.shape.clone() }
    }

    /// MAC with another one.
    pub fn assurance_with(&self, other: &Track) -> f64 {
        product(&self.shape, &other.momentum).norm_sqr().min(1.0)
    }

    /// The track at the next value if it goes on with mode `k`, or with the conjugate.
    fn step(&self, spectrum: &Spectrum, k: usize, space: &Space, conjugated: bool) -> Track {
        let turned = |x: &[c64]| if conjugated { conjugate(x) } else { x.to_vec() };
        let mode = &spectrum.modes[k];
        // Comparing with the conjugate of a mode is comparing the conjugate of the track.
        let seen = turned(&self.shape);
        let mut next = Track { space: None, ..Track::begin(spectrum, k) };
        next.assurance = space.share(&seen);
        if space.0.len() > 1 {
            (next.shape, next.momentum) = space.shadow(&seen);
            next.whirl = spectrum.whirls[k];
        } else if let Some(first) = &self.space {
            next.assurance = next.assurance.max(first.share(&turned(&mode.shape)));
        }
        if conjugated {
            next.value = mode.value.conj();
            (next.shape, next.momentum) = (conjugate(&next.shape), conjugate(&next.momentum));
        }
        next
    }

    /// How much another one is like this.
    fn likeness(&self, next: &Track, scale: f64) -> f64 {
        let width = WIDTH[0] * self.value.norm().max(next.value.norm()) + WIDTH[1] * scale;
        let away = (next.value - self.value).norm() / width.max(f64::MIN_POSITIVE);
        // Of a growing and a decaying one that are alike the growing one.
        let growing = if next.value.re > 0.0 { 1e-6 } else { 0.0 };
        (next.assurance + growing) / (1.0 + away * away)
    }

    /// A track that found no continuation: a freedom without stiffness until it is found again.
    fn lost(&self) -> Track {
        let zero = c64::new(0.0, 0.0);
        Track { value: zero, reported: zero, whirl: None, assurance: 0.0, ..self.clone() }
    }
}

/// The lowest modes of a spectrum, those that oscillate before those that do not, without freedoms that have
/// no stiffness.
pub(crate) fn first_tracks(spectrum: &Spectrum, count: usize) -> Vec<Track> {
    let mut order: Vec<usize> = (0..spectrum.modes.len()).collect();
    order.retain(|&k| spectrum.modes[k].value.norm() > 0.0);
    let key = |k: usize| (spectrum.modes[k].value.im == 0.0, spectrum.modes[k].value);
    order.sort_by(|&a, &b| {
        let ((a_still, a), (b_still, b)) = (key(a), key(b));
        a_still.cmp(&b_still).then(a.im.total_cmp(&b.im)).then(b.re.total_cmp(&a.re))
    });
    order.truncate(count);
    order.into_iter().map(|k| Track::begin(spectrum, k)).collect()
}

/// The tracks at the next value: of all pairs of a track and a mode the most alike first. If there are fewer
/// than `count`, modes that oscillate and belong to none begin new ones.
pub(crate) fn advance(tracks: &[Track], spectrum: &Spectrum, count: usize) -> Vec<Track> {
    let sizes = tracks.iter().map(|t| t.value.norm());
    let scale = sizes.sum::<f64>() / tracks.len().max(1) as f64;
    let moving: Vec<usize> =
        (0..spectrum.modes.len()).filter(|&k| spectrum.modes[k].value.norm() > 0.0).collect();
    let mut pairs = vec![];
    for &k in &moving {
        let space = Space::of(spectrum, k);
        for (i, track) in tracks.iter().enumerate() {
            for conjugated in [false, true] {
                if conjugated && spectrum.modes[k].value.im == 0.0 {
                    continue;
                }
                let next = track.step(spectrum, k, &space, conjugated);
                pairs.push((track.likeness(&next, scale), i, k, next));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut found: Vec<Option<Track>> = vec![None; tracks.len()];
    let mut taken = vec![false; spectrum.modes.len()];
    for (likeness, i, k, next) in pairs {
        if likeness > UNLIKE && found[i].is_none() && !taken[k] {
            (found[i], taken[k]) = (Some(next), true);
        }
    }
    let mut next: Vec<Track> =
        found.into_iter().zip(tracks).map(|(next, track)| next.unwrap_or_else(|| track.lost())).collect();
    let free = moving.into_iter().filter(|&k| !taken[k] && spectrum.modes[k].value.im > 0.0);
    next.extend(free.take(count.saturating_sub(tracks.len())).map(|k| Track::begin(spectrum, k)));
    next
}
