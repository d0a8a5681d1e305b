//! The shape of one mode in a rectangle.

use std::f64::consts::{PI, TAU};

use super::axis::Axis;
use super::canvas::{Canvas, GREY, GRID, HPos, INK, PALETTE, Point, RGBColor, Type, ZERO, fitted};
use super::frame::{LABEL_SIZE, NOTE_SIZE};
use super::labels::Area;
use super::skeleton::{Plane, Skeleton, range};
use crate::mode_shapes::{ComplexVector, ModeKind, ModeShape};
use crate::number::typeset;

/// The largest displacement is drawn as this part of the extent.
const ENLARGED: f64 = 0.16;

/// Room around the drawing; more below, for the scale and the axes.
const PADDING: (f64, f64) = (20.0, 34.0);

/// Least length of the bar that shows the scale, in pixels.
const SCALE: f64 = 45.0;

/// Points on the path of a centre of mass.
const PATH: usize = 48;

/// Colours of the reference and of the two extremes.
pub(super) const REFERENCE: RGBColor = ZERO;
pub(super) const EXTREMES: [RGBColor; 2] = [PALETTE[0], PALETTE[1]];

/// A skeleton moved by a mode, seen in a plane.
struct Drawing<'a> {
    skeleton: &'a Skeleton,
    plane: Plane,
    amplitudes: Vec<ComplexVector>,
    /// Drawn displacement over amplitude.
    factor: f64,
    view: View,
}

/// Draws a mode within an area, its name above it.
pub(super) fn draw(canvas: &mut Canvas, skeleton: &Skeleton, mode: &ModeShape, length: f64, area: Area) {
    let corners = [
        (area.left, area.top),
        (area.right, area.top),
        (area.right, area.bottom),
        (area.left, area.bottom),
        (area.left, area.top),
    ];
    canvas.curve(&corners, GRID, 1.0);
    let set = Type::new(LABEL_SIZE, INK, HPos::Left).bold();
    let name = fitted(&name(mode), 1.06 * LABEL_SIZE, area.right - area.left);
    canvas.text(&name, (area.left, area.top - 11.0), set);
    let drawing = Drawing::new(skeleton, mode, length, area);
    drawing.draw(canvas);
    drawing.draw_axes(canvas, area);
    drawing.draw_scale(canvas, area);
}

/// Number and character of a mode: `Mode 2: 3.183 Hz, ζ = 0.02`, or the name that it was given.
fn name(mode: &ModeShape) -> String {
    if !mode.name.is_empty() {
        return format!("{}: {}", mode.number, mode.name);
    }
    let character = match mode.kind {
        ModeKind::Oscillation => {
            format!("{} Hz, ζ = {}", typeset(mode.frequency_hz, 4), typeset(mode.damping_ratio, 2))
        }
        ModeKind::Growth | ModeKind::Decay => {
            format!("{}, λ = {} 1/s", mode.kind.words(), typeset(mode.eigenvalue.re, 3))
        }
        ModeKind::Neutral => "neutral".into(),
    };
    format!("Mode {}: {character}", mode.number)
}

impl<'a> Drawing<'a> {
    fn new(skeleton: &'a Skeleton, mode: &ModeShape, length: f64, area: Area) -> Drawing<'a> {
        let amplitudes = skeleton.amplitudes(mode);
        let plane = skeleton.plane(&amplitudes);
        let seen = |v: [f64; 3]| plane.of(v);
        let extent =
            (0..2).map(|k| range(skeleton.points.iter().map(|p| seen(p.position)[k]))).fold(0.0, f64::hypot);
        let extent = if extent > 0.0 { extent } else { length.min(1e100) };
        let size = |a: &ComplexVector| {
            let (re, im) = (seen(a.re), seen(a.im));
            re[0].hypot(re[1]).max(im[0].hypot(im[1]))
        };
        let largest = amplitudes.iter().map(size).fold(0.0, f64::max);
        let factor = if largest > 0.0 { ENLARGED * extent / largest } else { 0.0 };
        let mut drawing = Drawing { skeleton, plane, amplitudes, factor, view: View::of(&[], extent, area) };
        let everything: Vec<[f64; 2]> = (0..skeleton.points.len())
            .flat_map(|i| drawing.path(i).chain([seen(skeleton.points[i].position)]).collect::<Vec<_>>())
            .collect();
        drawing.view = View::of(&everything, extent, area);
        drawing
    }

    /// Where a point stands at a phase, in the plane.
    fn moved(&self, i: usize, phase: f64) -> [f64; 2] {
        let position = self.plane.of(self.skeleton.points[i].position);
        let offset = self.plane.of(self.amplitudes[i].at(phase));
        [position[0] + self.factor * offset[0], position[1] + self.factor * offset[1]]
    }

    /// The closed path of a point.
    fn path(&self, i: usize) -> impl Iterator<Item = [f64; 2]> + '_ {
        (0..=PATH).map(move |step| self.moved(i, TAU * step as f64 / PATH as f64))
    }

    fn draw(&self, canvas: &mut Canvas) {
        for i in 0..self.skeleton.bodies {
            let path: Vec<Point> = self.path(i).map(|p| self.view.point(p)).collect();
            canvas.curve(&path, ZERO, 0.8);
        }
        let reference = |i: usize| self.plane.of(self.skeleton.points[i].position);
        self.draw_state(canvas, REFERENCE, &reference);
        for (colour, phase) in EXTREMES.into_iter().zip([0.0, PI]) {
            self.draw_state(canvas, colour, &|i| self.moved(i, phase));
        }
        for (i, point) in self.skeleton.points.iter().enumerate() {
            if point.body.is_none() {
                let Area { left, top, right, bottom } = Area::about(self.view.point(reference(i)), 3.5);
                canvas.rectangle((left, top), (right, bottom), GREY);
            }
        }
    }

    fn draw_state(&self, canvas: &mut Canvas, colour: RGBColor, place: &dyn Fn(usize) -> [f64; 2]) {
        for &(a, b) in &self.skeleton.lines {
            canvas.line(self.view.point(place(a)), self.view.point(place(b)), colour, 1.4);
        }
        for i in 0..self.skeleton.bodies {
            canvas.disc(self.view.point(place(i)), 3.5, colour, true);
        }
    }

    /// A corner with the names of the axes.
    fn draw_axes(&self, canvas: &mut Canvas, area: Area) {
        let names = ["x", "y", "z"];
        let corner = (area.left + 10.0, area.bottom - 10.0);
        let (tip, top) = ((corner.0 + 18.0, corner.1), (corner.0, corner.1 - 18.0));
        canvas.line(corner, tip, GREY, 1.0);
        canvas.line(corner, top, GREY, 1.0);
        let set = Type::new(NOTE_SIZE, GREY, HPos::Center);
        canvas.text(names[self.plane.across], (tip.0 + 7.0, tip.1 - 1.0), set);
        canvas.text(names[self.plane.up], (top.0, top.1 - 7.0), set);
    }

    /// A bar of a round length.
    fn draw_scale(&self, canvas: &mut Canvas, area: Area) {
        let across = (area.right - area.left) * self.view.per_pixel;
        let axis = Axis::with_spacing(0.0, across, SCALE * self.view.per_pixel);
        let Some(bar) = axis.ticks.iter().map(|t| t.value).find(|v| *v > 0.0) else { return };
        let end = (area.right - 10.0, area.bottom - 10.0);
        let start = (end.0 - bar / self.view.per_pixel, end.1);
        canvas.line(start, end, GREY, 2.0);
        let set = Type::new(NOTE_SIZE, GREY, HPos::Center);
        canvas.text(&format!("{} m", typeset(bar, 2)), (0.5 * (start.0 + end.0), end.1 - 9.0), set);
    }
}

/// Where points of the plane are drawn.
#[derive(Debug, Clone, Copy)]
struct View {
    middle: [f64; 2],
    centre: Point,
    per_pixel: f64,
}

impl View {
    /// Fits the points into an area, to one scale.
    fn of(points: &[[f64; 2]], extent: f64, area: Area) -> View {
        let (width, height) = (area.right - area.left, area.bottom - area.top);
        let ends = |k: usize| {
            let values = points.iter().map(|p| p[k]);
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
        };
        let [(left, right), (low, high)] = match points {
            [] => [(0.0, 0.0); 2],
            _ => [ends(0), ends(1)],
        };
        let (room, foot) = PADDING;
        let inner = (width - 2.0 * room, height - room - foot);
        // A single point has no extent to fill the area with.
        let per_pixel = ((right - left) / inner.0).max((high - low) / inner.1).max(0.2 * extent / inner.1);
        View {
            middle: [0.5 * (left + right), 0.5 * (low + high)],
            centre: (0.5 * (area.left + area.right), area.top + room + 0.5 * inner.1),
            per_pixel: per_pixel.max(f64::MIN_POSITIVE),
        }
    }

    fn point(&self, p: [f64; 2]) -> Point {
        let offset = |k: usize| (p[k] - self.middle[k]) / self.per_pixel;
        (self.centre.0 + offset(0), self.centre.1 - offset(1))
    }
}
