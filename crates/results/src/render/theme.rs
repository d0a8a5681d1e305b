//! Colours of pictures.

use super::raster::{Tint, mix};

/// Bodies and beams, in turn; colour-blind eyes can tell neighbours apart.
const THINGS: [u32; 8] = [0x3B7DC4, 0xE08A2E, 0x3F9E77, 0xC670A6, 0xD3AC35, 0x5CB3DE, 0xB8553F, 0x7A7FA8];

/// The colours of a picture.
pub(crate) struct Theme {
    pub top: Tint,
    pub bottom: Tint,
    pub grid: Tint,
    pub shadow: Tint,
    pub joint: Tint,
    pub ground: Tint,
    pub spring: Tint,
    pub force: Tint,
    pub reaction: Tint,
    pub text: [u8; 3],
}

impl Theme {
    pub fn new(dark: bool) -> Theme {
        let pick = |light: u32, night: u32| tint(if dark { night } else { light });
        Theme {
            top: pick(0xFDFDFE, 0x222A38),
            bottom: pick(0xE4EAF1, 0x131822),
            grid: pick(0x8694A8, 0x71819B),
            shadow: pick(0x3A4658, 0x000000),
            joint: pick(0x3A4350, 0xC4CCD8),
            ground: pick(0x9AA4B2, 0x7C8798),
            spring: pick(0x5E6A7A, 0xA9B4C4),
            force: pick(0xC62828, 0xFF7A6B),
            reaction: pick(0x6A3FB5, 0xB79BFF),
            text: if dark { [0xD5, 0xDB, 0xE5] } else { [0x2B, 0x33, 0x40] },
        }
    }
}

/// The colour of a thing: its own, or by its number; paler if its look was not given.
pub(crate) fn thing(own: Option<&str>, number: usize, derived: bool) -> Tint {
    let own = own.and_then(|text| u32::from_str_radix(text.strip_prefix('#')?, 16).ok()).map(tint);
    let plain = own.unwrap_or_else(|| tint(THINGS[number % THINGS.len()]));
    if derived && own.is_none() { mix(plain, [1.0; 3], 0.22) } else { plain }
}

fn tint(rgb: u32) -> Tint {
    let [_, r, g, b] = rgb.to_be_bytes();
    [r, g, b].map(|part| f32::from(part) / 255.0)
}
