//! Pictures and movies of a scene, drawn without a graphics card.
//!
//! [`Renderer`] looks at a [`Scene`](crate::scene::Scene) so that the whole motion is in the picture and
//! draws any [`Snapshot`](crate::Snapshot) of it; [`write_movie`] strings pictures together.

mod camera;
mod facets;
mod image;
mod movie;
#[cfg_attr(not(feature = "movies"), path = "render/no_movie_file.rs")]
mod movie_file;
#[cfg(feature = "movies")]
mod palette;
mod picture;
mod raster;
mod symbols;
mod theme;

pub use camera::View;
pub use image::Image;
pub use movie::{MovieKind, Playback};
pub use movie_file::write_movie;
pub use picture::{Renderer, Style};

pub(crate) use facets::{Facet, facets};
