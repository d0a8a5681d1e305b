//! Triangles and lines with hidden parts removed, on a picture twice as fine as the one that is given back.

use super::image::Image;

/// Samples along each side of a pixel.
pub(crate) const FINE: usize = 2;

/// A colour, each part from 0 to 1.
pub(crate) type Tint = [f32; 3];

/// Mixes two colours.
pub(crate) fn mix(a: Tint, b: Tint, share: f32) -> Tint {
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * share)
}

/// A corner on the picture: place in samples, nearness, colour.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot {
    pub x: f32,
    pub y: f32,
    pub near: f32,
    pub tint: Tint,
}

/// The picture being drawn.
pub(crate) struct Canvas {
    pub width: usize,
    pub height: usize,
    tints: Vec<[u8; 3]>,
    nearness: Vec<f32>,
    /// Samples in the shadow.
    shadow: Vec<bool>,
}

impl Canvas {
    /// A picture of so many pixels, from one colour at the top to another at the bottom.
    pub fn new(size: [usize; 2], top: Tint, bottom: Tint) -> Canvas {
        let (width, height) = (size[0] * FINE, size[1] * FINE);
        let rows = (0..height).map(|y| bytes(mix(top, bottom, y as f32 / height as f32)));
        Canvas {
            width,
            height,
            tints: rows.flat_map(|tint| std::iter::repeat_n(tint, width)).collect(),
            nearness: vec![f32::NEG_INFINITY; width * height],
            shadow: vec![false; width * height],
        }
    }

    /// A triangle in front of what is farther away.
    pub fn triangle(&mut self, spots: [Spot; 3]) {
        let (width, nearness, tints) = (self.width, &mut self.nearness, &mut self.tints);
        cover([width, self.height], &spots, |at, near, tint| {
            if near > nearness[at] {
                nearness[at] = near;
                tints[at] = bytes(tint);
            }
        });
    }

    /// A triangle that takes the light from the ground.
    pub fn shade(&mut self, spots: [Spot; 3]) {
        let shadow = &mut self.shadow;
        cover([self.width, self.height], &spots, |at, _, _| shadow[at] = true);
    }

    /// Darkens what lies in the shadow.
    pub fn cast(&mut self, tint: Tint, share: f32) {
        for (pixel, _) in self.tints.iter_mut().zip(&self.shadow).filter(|(_, shadow)| **shadow) {
            *pixel = blend(*pixel, tint, share);
        }
    }

    /// A line of a width in samples, mixed with what is behind it; it hides nothing.
    pub fn line(&mut self, from: Spot, to: Spot, wide: f32, share: impl Fn(f32) -> f32) {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let length = dx.hypot(dy).max(1e-6);
        let (nx, ny) = (-dy / length * 0.5 * wide, dx / length * 0.5 * wide);
        let shifted = |spot: Spot, side: f32, place: f32| Spot {
            x: spot.x + side * nx,
            y: spot.y + side * ny,
            tint: [place; 3],
            ..spot
        };
        let [a, b] = [1.0, -1.0].map(|side| shifted(from, side, 0.0));
        let [c, d] = [1.0, -1.0].map(|side| shifted(to, side, 1.0));
        let (nearness, tints) = (&self.nearness, &mut self.tints);
        for spots in [[a, b, d], [a, d, c]] {
            cover([self.width, self.height], &spots, |at, near, place| {
                if near > nearness[at] {
                    tints[at] = blend(tints[at], from.tint, share(place[0]));
                }
            });
        }
    }

    /// The picture, each pixel the mean of its samples.
    pub fn image(&self) -> Image {
        let (width, height) = (self.width / FINE, self.height / FINE);
        let mut rgb = Vec::with_capacity(3 * width * height);
        for y in 0..height {
            for x in 0..width {
                for c in 0..3 {
                    let at = |i: usize, j: usize| {
                        u32::from(self.tints[(y * FINE + i) * self.width + x * FINE + j][c])
                    };
                    let sum: u32 =
                        (0..FINE).flat_map(|i| (0..FINE).map(move |j| (i, j))).map(|(i, j)| at(i, j)).sum();
                    rgb.push((sum / (FINE * FINE) as u32) as u8);
                }
            }
        }
        Image { width, height, rgb }
    }
}

fn bytes(tint: Tint) -> [u8; 3] {
    tint.map(|part| (part.clamp(0.0, 1.0) * 255.0 + 0.5) as u8)
}

fn blend(pixel: [u8; 3], tint: Tint, share: f32) -> [u8; 3] {
    bytes(mix(pixel.map(|part| f32::from(part) / 255.0), tint, share))
}

/// Visits the samples of a triangle, each at the middle of its square, with nearness and colour between those
/// of the corners.
fn cover([width, height]: [usize; 2], spots: &[Spot; 3], mut visit: impl FnMut(usize, f32, Tint)) {
    let [a, b, c] = spots;
    let double = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    if !double.is_finite() || double == 0.0 {
        return;
    }
    let range = |low: f32, high: f32, most: usize| {
        let from = (low - 0.5).ceil().clamp(0.0, most as f32) as usize;
        let to = ((high - 0.5).floor() + 1.0).clamp(0.0, most as f32) as usize;
        from..to
    };
    let columns = range(a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x), width);
    for y in range(a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y), height) {
        let py = y as f32 + 0.5;
        for x in columns.clone() {
            let px = x as f32 + 0.5;
            let u = ((c.x - b.x) * (py - b.y) - (c.y - b.y) * (px - b.x)) / double;
            let v = ((a.x - c.x) * (py - c.y) - (a.y - c.y) * (px - c.x)) / double;
            let w = 1.0 - u - v;
            if u >= 0.0 && v >= 0.0 && w >= 0.0 {
                let tint = std::array::from_fn(|i| u * a.tint[i] + v * b.tint[i] + w * c.tint[i]);
                visit(y * width + x, u * a.near + v * b.near + w * c.near, tint);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(x: f32, y: f32, near: f32, tint: Tint) -> Spot {
        Spot { x, y, near, tint }
    }

    #[test]
    fn the_nearer_triangle_hides_the_other() {
        let mut canvas = Canvas::new([20, 10], [1.0; 3], [1.0; 3]);
        let red = [1.0, 0.0, 0.0];
        let blue = [0.0, 0.0, 1.0];
        canvas.triangle([spot(0.0, 0.0, 2.0, red), spot(40.0, 0.0, 2.0, red), spot(0.0, 20.0, 2.0, red)]);
        canvas.triangle([spot(0.0, 0.0, 1.0, blue), spot(40.0, 0.0, 1.0, blue), spot(40.0, 20.0, 1.0, blue)]);
        let image = canvas.image();
        assert_eq!(image.pixel(1, 1), [255, 0, 0]);
        assert_eq!(image.pixel(18, 5), [0, 0, 255]);
        assert_eq!(image.pixel(10, 9), [255, 255, 255]);
        // The diagonal goes through 20 of the 200 pixels; half of the others are red.
        let red = image.rgb.chunks_exact(3).filter(|p| p[0] == 255 && p[1] == 0 && p[2] == 0).count();
        assert_eq!(red, 90);
    }
}
