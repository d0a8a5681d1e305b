//! Where a scene is looked at from.

use super::facets::Vector;

/// Tangent of half the angle of view, vertically: 30° over all.
const SPREAD: f64 = 0.268;
/// Part of the picture that is left free on each side.
const MARGIN: f64 = 0.08;

/// A standard view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum View {
    /// From the right, in front and above, in perspective.
    #[default]
    Iso,
    /// Along the second horizontal axis, to scale.
    Front,
    /// From above, to scale.
    Top,
    /// Against the first horizontal axis, to scale.
    Side,
}

/// The camera: axes to the right, upwards and towards the eye.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Camera {
    pub right: Vector,
    pub up: Vector,
    pub back: Vector,
    /// What is in the middle of the picture.
    target: Vector,
    /// Distance of the eye from it; none for a view to scale.
    distance: Option<f64>,
    /// Pixels for each m at the target.
    scale: f64,
    size: [f64; 2],
}

/// The horizontal axes of a world with such an upward direction.
pub(crate) fn horizontal(up: &Vector) -> (Vector, Vector) {
    let first = if up.x.abs() < 0.9 { Vector::x() } else { Vector::y() };
    let first = (first - up * up.dot(&first)).normalize();
    (first, up.cross(&first))
}

impl Camera {
    /// A view of points that fills a picture of so many pixels.
    pub fn framing(view: View, up: &Vector, points: &[Vector], size: [usize; 2]) -> Camera {
        let (first, second) = horizontal(up);
        let (right, upward) = match view {
            View::Front => (first, *up),
            View::Top => (first, second),
            View::Side => (second, *up),
            View::Iso => {
                let back = (first * 0.55 - second + up * 0.55).normalize();
                let right = up.cross(&back).normalize();
                (right, back.cross(&right))
            }
        };
        let mut camera = Camera {
            right,
            up: upward,
            back: right.cross(&upward),
            target: Vector::zeros(),
            distance: None,
            scale: 1.0,
            size: size.map(|pixels| pixels as f64),
        };
        camera.fit(points, view == View::Iso);
        camera
    }

    /// The same view of a place that is moved.
    pub fn moved(&self, by: &Vector) -> Camera {
        Camera { target: self.target + by, ..*self }
    }

    fn fit(&mut self, points: &[Vector], perspective: bool) {
        let seen: Vec<Vector> =
            points.iter().map(|p| Vector::new(self.right.dot(p), self.up.dot(p), self.back.dot(p))).collect();
        let (low, high) = bounds(&seen);
        let extent = (high - low).amax().max(1e-9);
        let mut middle = (low + high) * 0.5;
        let room = self.size.map(|pixels| pixels * (1.0 - 2.0 * MARGIN));
        let half = [0, 1].map(|i| (0.5 * (high[i] - low[i])).max(0.02 * extent));
        if perspective {
            let spread = [SPREAD * room[0] / self.size[1], SPREAD * room[1] / self.size[1]];
            let mut distance = extent;
            // The sides of the pyramid touch the points; then its axis is moved to the middle of what is
            // seen.
            for _ in 0..8 {
                let need = |p: &Vector| {
                    (0..2).map(|i| (p[i] - middle[i]).abs() / spread[i]).fold(0.0, f64::max) + p.z - middle.z
                };
                distance = seen.iter().map(need).fold(0.3 * extent, f64::max).max(1.05 * (high.z - middle.z));
                for i in 0..2 {
                    let slopes = seen
                        .iter()
                        .map(|p| (p[i] - middle[i]) / (distance - p.z + middle.z).max(1e-6 * extent));
                    let (least, most) = slopes.fold((f64::MAX, f64::MIN), |(a, b), s| (a.min(s), b.max(s)));
                    middle[i] += 0.5 * (least + most) * distance;
                }
            }
            self.distance = Some(distance);
            self.scale = 0.5 * self.size[1] / (SPREAD * distance);
        } else {
            self.scale = (0.5 * room[0] / half[0]).min(0.5 * room[1] / half[1]);
        }
        self.target = self.right * middle.x + self.up * middle.y + self.back * middle.z;
    }

    /// Pixel and nearness of a point: larger is nearer. None behind the eye.
    pub fn pixel(&self, point: &Vector) -> Option<[f64; 3]> {
        let p = point - self.target;
        let (x, y, z) = (self.right.dot(&p), self.up.dot(&p), self.back.dot(&p));
        let (scale, near) = match self.distance {
            None => (self.scale, z),
            Some(distance) if z > 0.98 * distance => return None,
            // 1/(d − z) is linear across the picture, as nearness must be.
            Some(distance) => (self.scale * distance / (distance - z), 1.0 / (distance - z)),
        };
        Some([0.5 * self.size[0] + scale * x, 0.5 * self.size[1] - scale * y, near])
    }

    /// The direction from a point to the eye.
    pub fn towards(&self, point: &Vector) -> Vector {
        match self.distance {
            None => self.back,
            Some(distance) => self.target + self.back * distance - point,
        }
    }
}

/// The box around points.
pub(crate) fn bounds(points: &[Vector]) -> (Vector, Vector) {
    let empty = (Vector::repeat(f64::INFINITY), Vector::repeat(f64::NEG_INFINITY));
    let (low, high) = points.iter().fold(empty, |(low, high), p| (low.inf(p), high.sup(p)));
    if points.is_empty() { (Vector::repeat(-0.5), Vector::repeat(0.5)) } else { (low, high) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_to_scale_put_points_where_they_belong() {
        let points = [Vector::new(-1.0, 0.0, 0.0), Vector::new(1.0, 0.0, 0.5)];
        let camera = Camera::framing(View::Front, &Vector::z(), &points, [1000, 500]);
        // 84 % of the width for 2 m: 420 pixels for each.
        let near = |p: [f64; 3], x: f64, y: f64| (p[0] - x).abs() < 1e-9 && (p[1] - y).abs() < 1e-9;
        assert!(near(camera.pixel(&points[0]).unwrap(), 80.0, 250.0 + 105.0));
        assert!(near(camera.pixel(&points[1]).unwrap(), 920.0, 250.0 - 105.0));
        // A point in front is nearer than one behind.
        let [a, b] = [-1.0, 1.0].map(|y| camera.pixel(&Vector::new(0.0, y, 0.0)).unwrap()[2]);
        assert!(a > b);
        let top = Camera::framing(View::Top, &Vector::z(), &points, [1000, 500]);
        assert!((top.up - Vector::y()).norm() < 1e-12 && (top.back - Vector::z()).norm() < 1e-12);
        // A world with y upwards is seen from the front against z.
        let front = Camera::framing(View::Front, &Vector::y(), &points, [1000, 500]);
        assert!((front.right - Vector::x()).norm() < 1e-12 && (front.back - Vector::z()).norm() < 1e-12);
    }

    #[test]
    fn perspective_holds_everything() {
        let points: Vec<Vector> = (0..8)
            .map(|k| Vector::new(f64::from(k & 1) * 4.0, f64::from(k & 2), f64::from(k & 4) * 0.2 + 7.0))
            .collect();
        let camera = Camera::framing(View::Iso, &Vector::z(), &points, [640, 480]);
        let pixels: Vec<[f64; 3]> = points.iter().map(|p| camera.pixel(p).unwrap()).collect();
        let edge = |i: usize, size: f64| {
            let (low, high) =
                pixels.iter().fold((f64::MAX, f64::MIN), |(a, b), p| (a.min(p[i]), b.max(p[i])));
            assert!(low > 0.07 * size && high < 0.93 * size, "{low} {high}");
            high - low
        };
        let (width, height) = (edge(0, 640.0), edge(1, 480.0));
        assert!(width > 0.8 * 640.0 || height > 0.8 * 480.0, "{width} {height}");
    }
}
