//! Pictures in a row: GIF, and MP4 or WebM by way of ffmpeg.

use super::image::Image;
use super::movie::MovieKind;
use super::palette::Palette;
use crate::atomic_file::write_atomically;
use crate::error::ResultsError;
use std::borrow::Cow;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Pictures that the colours of a GIF are chosen from.
const SAMPLES: usize = 6;

/// Writes a movie of `count` pictures, `image` giving each.
pub fn write_movie(
    path: &Path,
    kind: MovieKind,
    fps: f64,
    count: usize,
    image: impl FnMut(usize) -> Result<Image, ResultsError>,
) -> Result<(), ResultsError> {
    match kind {
        MovieKind::Gif => gif(path, fps, count, image),
        kind => by_ffmpeg(path, kind, fps, count, image),
    }
}

fn gif(
    path: &Path,
    fps: f64,
    count: usize,
    mut image: impl FnMut(usize) -> Result<Image, ResultsError>,
) -> Result<(), ResultsError> {
    let samples = (0..SAMPLES.min(count)).map(|k| image(k * count / SAMPLES.min(count)));
    let samples = samples.collect::<Result<Vec<_>, _>>()?;
    let palette = Palette::of(&samples);
    let Some(first) = samples.first() else {
        return Err(ResultsError::Picture { message: "a movie without pictures".into() });
    };
    let refuse = |error: gif::EncodingError| ResultsError::Picture {
        message: format!("cannot write the GIF: {error}"),
    };
    let mut bytes = vec![];
    let (width, height) = (first.width as u16, first.height as u16);
    let mut encoder = gif::Encoder::new(&mut bytes, width, height, &palette.colours).map_err(refuse)?;
    encoder.set_repeat(gif::Repeat::Infinite).map_err(refuse)?;
    let mut before: Vec<u8> = vec![];
    for k in 0..count {
        let pixels: Vec<u8> = image(k)?.rgb.chunks_exact(3).map(|pixel| palette.index(pixel)).collect();
        // Times are whole hundredths; their sum stays right.
        let time = |k: usize| (100.0 * k as f64 / fps).round() as u16;
        let mut frame = changed(&before, &pixels, first.width);
        frame.delay = time(k + 1) - time(k);
        encoder.write_frame(&frame).map_err(refuse)?;
        before = pixels;
    }
    drop(encoder);
    write_atomically(path, &bytes)
}

/// The part of a picture that differs from the one before.
fn changed(before: &[u8], now: &[u8], width: usize) -> gif::Frame<'static> {
    let differs = |k: &usize| before.get(*k) != Some(&now[*k]);
    let (mut left, mut right, mut top, mut bottom) = (width, 0, usize::MAX, 0);
    for k in (0..now.len()).filter(differs) {
        (left, right) = (left.min(k % width), right.max(k % width));
        (top, bottom) = (top.min(k / width), bottom.max(k / width));
    }
    if top > bottom {
        (left, right, top, bottom) = (0, 0, 0, 0);
    }
    let rows = (top..=bottom).flat_map(|y| &now[y * width + left..=y * width + right]);
    gif::Frame {
        left: left as u16,
        top: top as u16,
        width: (right - left + 1) as u16,
        height: (bottom - top + 1) as u16,
        buffer: Cow::Owned(rows.copied().collect()),
        ..gif::Frame::default()
    }
}

fn by_ffmpeg(
    path: &Path,
    kind: MovieKind,
    fps: f64,
    count: usize,
    mut image: impl FnMut(usize) -> Result<Image, ResultsError>,
) -> Result<(), ResultsError> {
    let first = image(0)?;
    let refuse = |message: String| ResultsError::Picture { message };
    let code: &[&str] = match kind {
        MovieKind::WebM => &["-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0"],
        _ => &["-c:v", "libx264", "-crf", "18", "-movflags", "+faststart"],
    };
    let mut child = Command::new("ffmpeg")
        .args(["-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s"])
        .arg(format!("{}x{}", first.width, first.height))
        .args(["-r", &fps.to_string(), "-i", "-", "-an"])
        // Both codes halve the colours: they need even sides.
        .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p"])
        .args(code)
        .arg(path)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| {
            refuse(format!("MP4 and WebM need the program ffmpeg ({error}): install it, or write a .gif"))
        })?;
    let mut pipe = child.stdin.take();
    for k in 0..count {
        let picture = if k == 0 { first.clone() } else { image(k)? };
        // A closed pipe means that ffmpeg has ended; it tells why.
        if pipe.as_mut().is_none_or(|pipe| pipe.write_all(&picture.rgb).is_err()) {
            break;
        }
    }
    drop(pipe);
    let output = child.wait_with_output().map_err(ResultsError::io("write", path))?;
    if !output.status.success() {
        return Err(refuse(format!("ffmpeg failed: {}", String::from_utf8_lossy(&output.stderr).trim())));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gif_has_its_pictures_and_times() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.gif");
        let image = |k: usize| {
            let mut image = Image { width: 32, height: 20, rgb: vec![250; 32 * 20 * 3] };
            image.rgb[3 * (5 * 32 + k)..][..3].copy_from_slice(&[200, 0, 0]);
            Ok(image)
        };
        write_movie(&path, MovieKind::Gif, 30.0, 12, image).unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(std::fs::File::open(&path).unwrap()).unwrap();
        assert_eq!((decoder.width(), decoder.height()), (32, 20));
        let (mut frames, mut time) = (0, 0);
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            // After the first only the moving pixel and where it was are written.
            assert!(frames == 0 || (frame.width, frame.height, frame.top) == (2, 1, 5));
            (frames, time) = (frames + 1, time + frame.delay);
        }
        assert_eq!((frames, time), (12, 40));
    }
}
