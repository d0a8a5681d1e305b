//! How long an error of velocity moves a position.
//!
//! An error e_v of one step moves a body that is free until the end of the study, T seconds away: by e_v T.
//! One that vibrates with ω it moves by e_v/ω, however long the study is. The errors themselves tell which:
//! their mean stays where nothing turns them back, and vanishes where they change sign. With f = e_v/h³,
//! which hardly depends on the step, its mean m over the last W seconds, and the mean M of m,
//!
//! ```text
//! τ = (W |m| + T |M|) / |f|:    f constant: τ = W + T,    f ~ cos ωt: τ = 1/ω + T/(ωW)²,    (−1)ⁿ f: τ ~ h
//! ```
//! in root mean squares over the last steps: a slow part under fast ones is in M with its own time. Of what
//! exceeds the usual errors by far (a kink) nothing is known, and T counts.
//!
//! What turns with a body has no mean but may last nevertheless, as an error of speed on a circle does: so m
//! has a fourth component, that of f along v, and errors of rotation are taken in world axes.

use poinsot_geometry::Vec3;
use poinsot_mechanics::Frame;

/// Part of the mean squares that a step forgets: they are over about 25 steps.
const FORGOTTEN: f64 = 0.04;

/// W as a part of the span, and as a part of the time that has been seen.
const WINDOW: (f64, f64) = (0.2, 0.5);

/// Errors above so many usual ones are not of their kind.
const UNUSUAL: f64 = 5.0;

/// The errors of velocity of one vector of unknowns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lasting {
    /// Time that has been seen (s).
    seen: f64,
    /// m and M, in three axes and along v.
    mean: [f64; 4],
    mean_of_mean: [f64; 4],
    /// ∫ dt, ∫ |f|² dt, ∫ |W m|² dt and ∫ |M|² dt over the last steps.
    time: f64,
    rates: f64,
    swings: f64,
    drifts: f64,
}

impl Lasting {
    /// The usual error of a step h: errors of vibrations pass zero, and steps are not to follow that.
    pub fn usual(&self, h: f64) -> f64 {
        if self.time > 0.0 { h.powi(3) * (self.rates / self.time).sqrt() } else { 0.0 }
    }

    /// The time over which an error of this size of a step h moves a position, at most the span.
    pub fn of(&self, size: f64, h: f64, span: f64) -> f64 {
        let usual = UNUSUAL * self.usual(h);
        if !(usual > 0.0 && size > 0.0) {
            return span;
        }
        let tau = ((self.swings / self.rates).sqrt() + span * (self.drifts / self.rates).sqrt()).max(h);
        let part = (usual / size).min(1.0);
        part * tau.min(span) + (1.0 - part) * span
    }

    /// Takes note of the error of an accepted step h that ends with v. Rotations of a body have its frame.
    pub fn note(&mut self, error: &[f64], v: &[f64], frame: Option<&Frame>, h: f64, span: f64) {
        let vector = |x: &[f64]| Vec3::from_fn(|i, _| x.get(i).copied().unwrap_or(0.0));
        let (rate, v) = (vector(error) / h.powi(3), vector(v));
        let speed = v.norm();
        let along = if speed > 0.0 { rate.dot(&v) / speed } else { 0.0 };
        let turned = frame.map_or(rate, |frame| frame.rot * rate);
        self.seen += h;
        let window = (WINDOW.0 * span).min(WINDOW.1 * self.seen);
        let new = h / (window + h);
        for (k, rate) in [turned.x, turned.y, turned.z, along].into_iter().enumerate() {
            self.mean[k] += new * (rate - self.mean[k]);
            self.mean_of_mean[k] += new * (self.mean[k] - self.mean_of_mean[k]);
        }
        let size = |m: &[f64; 4]| m[..3].iter().map(|x| x * x).sum::<f64>().max(m[3] * m[3]);
        let kept = 1.0 - FORGOTTEN;
        self.time = kept * self.time + h;
        self.rates = kept * self.rates + h * rate.norm_squared();
        self.swings = kept * self.swings + h * window * window * size(&self.mean);
        self.drifts = kept * self.drifts + h * size(&self.mean_of_mean);
    }
}
