//! A picture and its PNG file.

use crate::atomic_file::write_atomically;
use crate::error::ResultsError;
use std::path::Path;

/// A picture, row by row from the top, three bytes a pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Red, green and blue of each pixel.
    pub rgb: Vec<u8>,
}

impl Image {
    /// A pixel.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let at = 3 * (y * self.width + x);
        [self.rgb[at], self.rgb[at + 1], self.rgb[at + 2]]
    }

    /// The bytes of a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, ResultsError> {
        let mut bytes = Vec::new();
        let refuse = |error: png::EncodingError| ResultsError::Picture {
            message: format!("cannot write a PNG: {error}"),
        };
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().map_err(refuse)?;
        writer.write_image_data(&self.rgb).map_err(refuse)?;
        writer.finish().map_err(refuse)?;
        Ok(bytes)
    }

    /// Writes a PNG file.
    pub fn write_png(&self, path: &Path) -> Result<(), ResultsError> {
        write_atomically(path, &self.png()?)
    }

    /// Lays a picture with transparency (premultiplied) over a place.
    pub(crate) fn overlay(&mut self, [left, top]: [usize; 2], [width, height]: [usize; 2], rgba: &[u8]) {
        for y in 0..height.min(self.height.saturating_sub(top)) {
            for x in 0..width.min(self.width.saturating_sub(left)) {
                let from = &rgba[4 * (y * width + x)..][..4];
                let at = 3 * ((top + y) * self.width + left + x);
                for c in 0..3 {
                    let under = u32::from(self.rgb[at + c]) * (255 - u32::from(from[3])) / 255;
                    self.rgb[at + c] = (u32::from(from[c]) + under).min(255) as u8;
                }
            }
        }
    }
}
