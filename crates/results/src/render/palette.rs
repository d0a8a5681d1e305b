//! The 256 colours of a GIF: median cut of the colours that occur.

use super::image::Image;

/// Bits kept of each part of a colour while colours are counted.
const BITS: u32 = 5;
const SIDE: usize = 1 << BITS;

/// At most 256 colours, and the nearest of them for every colour.
pub(crate) struct Palette {
    /// Red, green and blue of each.
    pub colours: Vec<u8>,
    nearest: Vec<u8>,
}

/// A colour and how often it occurs.
type Count = ([u8; 3], u64);

impl Palette {
    pub fn of(images: &[Image]) -> Palette {
        let mut sums = vec![([0u64; 3], 0u64); SIDE.pow(3)];
        for pixel in images.iter().flat_map(|image| image.rgb.chunks_exact(3)) {
            let (sum, count) = &mut sums[cell([pixel[0], pixel[1], pixel[2]])];
            *count += 1;
            (0..3).for_each(|i| sum[i] += u64::from(pixel[i]));
        }
        let used = sums.iter().filter(|(_, count)| *count > 0);
        let counts: Vec<Count> = used.map(|(sum, count)| (sum.map(|s| (s / count) as u8), *count)).collect();
        let colours = cut(counts).concat();
        let nearest = (0..SIDE.pow(3)).map(|cell| nearest(&colours, middle(cell))).collect();
        Palette { colours, nearest }
    }

    /// The number of the colour nearest to a pixel.
    pub fn index(&self, pixel: &[u8]) -> u8 {
        self.nearest[cell([pixel[0], pixel[1], pixel[2]])]
    }
}

fn cell(pixel: [u8; 3]) -> usize {
    pixel.iter().fold(0, |cell, part| cell << BITS | usize::from(part >> (8 - BITS)))
}

fn middle(cell: usize) -> [u8; 3] {
    let part = |shift: u32| ((cell >> (shift * BITS) & (SIDE - 1)) << (8 - BITS)) as u8 | 1 << (7 - BITS);
    [part(2), part(1), part(0)]
}

fn nearest(colours: &[u8], to: [u8; 3]) -> u8 {
    let far = |colour: &[u8]| (0..3).map(|i| (i32::from(colour[i]) - i32::from(to[i])).pow(2)).sum::<i32>();
    let best = colours.chunks_exact(3).enumerate().min_by_key(|(_, colour)| far(colour));
    best.map_or(0, |(k, _)| k as u8)
}

/// Cuts the box with the largest weighted spread in two until there are 256; each gives its mean colour.
fn cut(counts: Vec<Count>) -> Vec<[u8; 3]> {
    let mut boxes = vec![counts];
    while boxes.len() < 256 {
        let spread = |list: &[Count]| {
            let side = |i: usize| {
                let parts = list.iter().map(|(c, _)| c[i]);
                u64::from(parts.clone().max().unwrap_or(0) - parts.min().unwrap_or(0))
            };
            let (side, axis) = (0..3).map(|i| (side(i), i)).max().unwrap_or_default();
            // Rare colours count less, but they count.
            let weight = (list.iter().map(|(_, n)| *n as f64).sum::<f64>()).sqrt();
            (side as f64 * side as f64 * weight, axis)
        };
        let worst = boxes.iter().enumerate().max_by(|(_, a), (_, b)| spread(a).0.total_cmp(&spread(b).0));
        let Some((k, (size, axis))) = worst.map(|(k, list)| (k, spread(list))) else { break };
        if size == 0.0 {
            break;
        }
        let mut list = boxes.swap_remove(k);
        list.sort_by_key(|(colour, _)| colour[axis]);
        let half = list.iter().map(|(_, n)| n).sum::<u64>() / 2;
        let mut so_far = 0;
        let place = list
            .iter()
            .position(|(_, n)| {
                so_far += n;
                so_far > half
            })
            .unwrap_or(0)
            .clamp(1, list.len() - 1);
        let rest = list.split_off(place);
        boxes.extend([list, rest]);
    }
    let mean = |list: &Vec<Count>| {
        let total: u64 = list.iter().map(|(_, n)| n).sum();
        [0, 1, 2].map(|i| (list.iter().map(|(c, n)| u64::from(c[i]) * n).sum::<u64>() / total.max(1)) as u8)
    };
    boxes.iter().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_stay_as_they_are() {
        let colours = [[255, 0, 0], [0, 128, 7], [10, 20, 200], [240, 240, 240]];
        let rgb: Vec<u8> = (0..400).flat_map(|k| colours[k % 4]).collect();
        let palette = Palette::of(&[Image { width: 20, height: 20, rgb }]);
        for colour in colours {
            let k = 3 * usize::from(palette.index(&colour));
            assert_eq!(palette.colours[k..k + 3], colour);
        }
    }
}
