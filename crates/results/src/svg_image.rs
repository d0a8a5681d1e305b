//! Drawings in SVG as pixels. Text is set in DejaVu Sans, which is part of the program: fonts of the system
//! are not looked for.

use crate::error::ResultsError;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};
use std::sync::{Arc, OnceLock};

fn fonts() -> Arc<Database> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    let load = || {
        let mut fonts = Database::new();
        fonts.load_font_data(dejavu::sans::regular().to_vec());
        fonts.load_font_data(dejavu::sans::bold().to_vec());
        fonts.set_sans_serif_family("DejaVu Sans");
        Arc::new(fonts)
    };
    FONTS.get_or_init(load).clone()
}

/// The pixels of a drawing at so many times its size.
pub(crate) fn svg_pixels(svg: &str, zoom: f32) -> Result<Pixmap, ResultsError> {
    let options = Options { fontdb: fonts(), font_family: "DejaVu Sans".into(), ..Options::default() };
    let refuse = |message: String| ResultsError::Drawing { message };
    let tree = Tree::from_str(svg, &options).map_err(|error| refuse(error.to_string()))?;
    let size = tree.size().scale_by(zoom).ok_or_else(|| refuse("it has no size".into()))?.to_int_size();
    let mut pixels =
        Pixmap::new(size.width(), size.height()).ok_or_else(|| refuse("it is too large".into()))?;
    resvg::render(&tree, Transform::from_scale(zoom, zoom), &mut pixels.as_mut());
    Ok(pixels)
}

/// A drawing as the bytes of a PNG file, at so many times its size.
pub fn svg_to_png(svg: &str, zoom: f32) -> Result<Vec<u8>, ResultsError> {
    svg_pixels(svg, zoom)?.encode_png().map_err(|error| ResultsError::Drawing { message: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_needs_no_font_of_the_system() {
        let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="120" height="30"><rect width="120" height="30" fill="white"/><text x="5" y="22" font-family="Helvetica, Arial, sans-serif" font-size="20">Mφ² [m]</text></svg>"#;
        let pixels = svg_pixels(svg, 2.0).unwrap();
        assert_eq!((pixels.width(), pixels.height()), (240, 60));
        let dark = pixels.pixels().iter().filter(|p| p.red() < 100).count();
        assert!((300..4000).contains(&dark), "{dark}");
    }
}
