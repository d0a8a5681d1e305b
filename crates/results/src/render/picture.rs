//! A scene in a picture.

use super::camera::{Camera, View, bounds, horizontal};
use super::facets::{Facet, Vector, facets, smooth, swept};
use super::image::Image;
use super::raster::{Canvas, FINE, Spot, Tint, mix};
use super::symbols::{arrow, force, joint, slid, spring};
use super::theme::{Theme, thing};
use crate::error::ResultsError;
use crate::flexible_skin::FlexibleSkin;
use crate::lettering::{self, drawing_error};
use crate::plate_surface::PlateSurface;
use crate::scene::{Scene, ScenePlate, Shape};
use crate::snapshot::Snapshot;
use nalgebra::{Isometry3, Point3};
use tiny_skia::{Pixmap, Transform};

/// States that the view and the scales are chosen from, at most.
const STATES: usize = 60;
/// Length of the longest arrow, in lengths of the scene.
const ARROW: f64 = 0.3;
/// Parts of a line of the grid.
const GRID_PARTS: usize = 24;
/// Largest side of a picture.
const LARGEST: usize = 8192;
/// How many times its own size a model must go for the camera to follow it.
const TRAVEL: f64 = 4.0;
/// Points of a solid that the view is fitted to.
const OUTLINE: usize = 48;

/// How a picture looks.
#[derive(Debug, Clone, PartialEq)]
pub struct Style {
    /// Pixels across and down.
    pub size: [usize; 2],
    /// Where it is looked at from.
    pub view: View,
    /// Light on dark.
    pub dark: bool,
    /// Draw the loads as arrows.
    pub forces: bool,
    /// Draw the reactions of joints as arrows.
    pub reactions: bool,
}

impl Default for Style {
    fn default() -> Self {
        Style { size: [1280, 720], view: View::Iso, dark: false, forces: false, reactions: false }
    }
}

/// Triangles of one colour.
struct Body {
    facets: Vec<Facet>,
    tint: Tint,
}

/// Draws a scene.
pub struct Renderer<'a> {
    scene: &'a Scene,
    style: Style,
    theme: Theme,
    camera: Camera,
    /// What each body looks like, in its axes.
    bodies: Vec<Vec<Body>>,
    skins: Vec<(FlexibleSkin, Tint)>,
    plates: Vec<(PlateSurface, Tint)>,
    ground: Vec<Body>,
    /// Length of the scene.
    length: f64,
    up: Vector,
    /// Height of the floor and what stands over it.
    floor: f64,
    around: [Vector; 2],
    /// Travel of sliding joints.
    travel: Vec<Option<[f64; 2]>>,
    /// m for each N of loads and of reactions.
    scales: [f64; 2],
    /// The camera moves with the bodies.
    follows: bool,
}

/// One picture, with the camera where it is then.
struct Drawing<'r> {
    of: &'r Renderer<'r>,
    camera: Camera,
    /// How far it has moved along.
    away: Vector,
}

impl<'a> Renderer<'a> {
    /// A view that holds all of the states.
    pub fn new(scene: &'a Scene, states: &[Snapshot], style: Style) -> Result<Renderer<'a>, ResultsError> {
        if style.size.iter().any(|side| !(16..=LARGEST).contains(side)) {
            let [width, height] = style.size;
            let message =
                format!("a picture of {width}x{height} pixels: each side must be from 16 to {LARGEST}");
            return Err(ResultsError::Picture { message });
        }
        let theme = Theme::new(style.dark);
        let look = |number: usize, shape: &Shape| Body {
            facets: facets(shape),
            tint: thing(shape.color.as_deref(), number, shape.derived),
        };
        let bodies: Vec<Vec<Body>> = scene
            .bodies
            .iter()
            .enumerate()
            .map(|(k, body)| body.shapes.iter().map(|shape| look(k, shape)).collect())
            .collect();
        let standing = |shape: &Shape| Body {
            tint: shape.color.as_ref().map_or(theme.ground, |c| thing(Some(c), 0, false)),
            facets: facets(shape),
        };
        let ground: Vec<Body> = scene.ground.iter().map(standing).collect();
        let few: Vec<&Snapshot> =
            states.iter().step_by(states.len().div_ceil(STATES).max(1)).chain(states.last()).collect();
        let outlines: Vec<Vec<Vector>> =
            bodies.iter().map(|parts| parts.iter().flat_map(outline).collect()).collect();
        let mut points: Vec<Vector> = ground.iter().flat_map(outline).collect();
        let mut near: Vec<Vector> = vec![];
        let skins = skins(scene);
        for state in &few {
            points.extend(places(scene, state, &outlines));
            let deformed = skins.iter().flat_map(|(skin, _)| skin.points(state));
            let deformed: Vec<Vector> = deformed.collect();
            near.extend(solid_places(scene, state, &outlines).map(|p| p - middle(state)));
            near.extend(deformed.iter().map(|p| p - middle(state)));
            points.extend(deformed);
        }
        let extent_of = |points: &[Vector]| {
            let (low, high) = bounds(points);
            (high - low).amax()
        };
        let follows = !near.is_empty() && extent_of(&points) > TRAVEL * extent_of(&near).max(scene.length);
        let framed = if follows { &near } else { &points };
        let ((low, high), extent) = (bounds(framed), extent_of(framed));
        let length =
            if extent > 0.0 { scene.length.clamp(0.08 * extent, extent) } else { scene.length.max(1e-6) };
        let up = Vector::from(scene.up).try_normalize(1e-9).unwrap_or(Vector::z());
        let lowest = points.iter().map(|p| up.dot(p)).fold(f64::INFINITY, f64::min);
        // The floor is at zero unless that is far from everything, or above some of it.
        let near = !lowest.is_finite() || (-0.02 * length..=0.5 * length).contains(&lowest);
        let floor = if near { 0.0 } else { lowest };
        let travels = |k: usize| {
            let values = few.iter().filter_map(|state| slid(&scene.joints[k], state));
            values.fold(None, |range: Option<[f64; 2]>, s| {
                Some(range.map_or([s, s], |[a, b]| [a.min(s), b.max(s)]))
            })
        };
        let largest = |list: fn(&Snapshot) -> &[crate::snapshot::Wrench]| {
            let forces = few.iter().flat_map(|state| list(state)).map(|w| force(w).norm());
            ARROW * length / forces.fold(0.0, f64::max).max(1e-250)
        };
        Ok(Renderer {
            camera: Camera::framing(style.view, &up, framed, style.size),
            travel: (0..scene.joints.len()).map(travels).collect(),
            scales: [largest(|state| &state.loads), largest(|state| &state.reactions)],
            around: [low, high],
            scene,
            style,
            theme,
            bodies,
            skins,
            plates: plates(scene),
            ground,
            length,
            up,
            floor,
            follows,
        })
    }

    fn drawing(&self, state: &Snapshot) -> Drawing<'_> {
        let away = if self.follows { middle(state) } else { Vector::zeros() };
        Drawing { of: self, camera: self.camera.moved(&away), away }
    }

    /// The picture of a state, with a line of text.
    pub fn draw(&self, state: &Snapshot, caption: &str) -> Result<Image, ResultsError> {
        let mut canvas = Canvas::new(self.style.size, self.theme.top, self.theme.bottom);
        let (solids, drawing) = (self.solids(state), self.drawing(state));
        if self.style.view == View::Iso {
            solids.iter().flat_map(|body| &body.facets).for_each(|facet| drawing.cast(&mut canvas, facet));
            canvas.cast(self.theme.shadow, 0.13);
        }
        drawing.grid(&mut canvas);
        for body in &solids {
            body.facets.iter().for_each(|facet| drawing.facet(&mut canvas, facet, body.tint));
        }
        let mut image = canvas.image();
        self.write(&mut image, caption)?;
        Ok(image)
    }

    /// The pixel where a point of the world is drawn in a state.
    pub fn pixel(&self, state: &Snapshot, point: [f64; 3]) -> Option<[f64; 2]> {
        self.drawing(state).camera.pixel(&Vector::from(point)).map(|[x, y, _]| [x, y])
    }

    /// Everything in the world.
    fn solids(&self, state: &Snapshot) -> Vec<Body> {
        let moved = |parts: &[Body], pose: &Isometry3<f64>| -> Vec<Body> {
            parts
                .iter()
                .map(|body| Body { facets: body.facets.iter().map(|f| f.moved(pose)).collect(), ..*body })
                .collect()
        };
        let mut list = moved(&self.ground, &Isometry3::identity());
        for (parts, pose) in self.bodies.iter().zip(&state.poses) {
            list.extend(moved(parts, pose));
        }
        let first = self.scene.bodies.iter().filter(|body| !body.shapes.is_empty()).count();
        for (k, beam) in self.scene.beams.iter().enumerate() {
            let tint = thing(beam.color.as_deref(), first + k, false);
            list.push(Body { facets: swept(&beam.outline, &state.line(beam)), tint });
        }
        for (plate, tint) in &self.plates {
            list.push(Body { facets: plate.facets(state), tint: *tint });
        }
        for (skin, tint) in &self.skins {
            list.push(Body { facets: smooth(&skin.points(state), &skin.triangles), tint: *tint });
        }
        for (sign, travel) in self.scene.joints.iter().zip(&self.travel) {
            list.push(Body { facets: joint(sign, state, self.length, *travel), tint: self.theme.joint });
        }
        for link in &self.scene.springs {
            let [a, b] = [0, 1].map(|k| state.place(&link.ends[k]));
            list.push(Body { facets: spring(&a, &b, self.length), tint: self.theme.spring });
        }
        if self.style.forces {
            let loads = self.scene.loads.iter().zip(&state.loads);
            list.extend(loads.map(|(load, wrench)| Body {
                facets: arrow(&state.place(&load.end), &(force(wrench) * self.scales[0]), self.length),
                tint: self.theme.force,
            }));
        }
        if self.style.reactions {
            let reactions = self.scene.joints.iter().zip(&state.reactions);
            list.extend(reactions.map(|(joint, wrench)| Body {
                facets: arrow(&state.place(&joint.ends[1]), &(force(wrench) * self.scales[1]), self.length),
                tint: self.theme.reaction,
            }));
        }
        list
    }

    /// Text in the lower left corner.
    fn write(&self, image: &mut Image, text: &str) -> Result<(), ResultsError> {
        if text.is_empty() {
            return Ok(());
        }
        let size = (image.height as f64 / 42.0).clamp(9.0, 40.0);
        let height = (1.7 * size).ceil() as usize;
        let clean = text.chars().filter(|c| !c.is_control()).collect::<String>();
        let mut pixels =
            Pixmap::new(image.width as u32, height as u32).ok_or_else(|| drawing_error("it is too large"))?;
        let place = Transform::from_translate(size as f32, 1.15 * size as f32);
        lettering::line(&clean, size as f32, false)?.fill(&mut pixels, self.theme.text, place);
        let top = image.height.saturating_sub(height + (0.4 * size) as usize);
        image.overlay([0, top], [pixels.width() as usize, pixels.height() as usize], pixels.data());
        Ok(())
    }
}

impl Drawing<'_> {
    fn facet(&self, canvas: &mut Canvas, facet: &Facet, tint: Tint) {
        let spots = [0, 1, 2]
            .map(|k| self.spot(&facet.corners[k], self.lit(&facet.corners[k], &facet.normals[k], tint)));
        if let [Some(a), Some(b), Some(c)] = spots {
            canvas.triangle([a, b, c]);
        }
    }

    fn spot(&self, point: &Vector, tint: Tint) -> Option<Spot> {
        let [x, y, near] = self.camera.pixel(point)?;
        Some(Spot { x: (x * FINE as f64) as f32, y: (y * FINE as f64) as f32, near: near as f32, tint })
    }

    /// The colour of a surface: light from over the left shoulder, some from the right, a highlight.
    fn lit(&self, point: &Vector, normal: &Vector, tint: Tint) -> Tint {
        let Camera { right, up, back, .. } = &self.camera;
        let eye = self.camera.towards(point).normalize();
        // Both sides of a surface are lit.
        let normal = if normal.dot(&eye) < 0.0 { -normal } else { *normal };
        let key = (back * 0.75 + up * 0.8 - right * 0.5).normalize();
        let fill = (back * 0.3 + right).normalize();
        let diffuse = 0.54 + 0.48 * normal.dot(&key).max(0.0) + 0.12 * normal.dot(&fill).max(0.0);
        let shine = normal.dot(&(key + eye).normalize()).max(0.0).powi(28);
        let shaded = tint.map(|part| part * diffuse as f32);
        mix(shaded, [1.0; 3], (0.22 * shine) as f32)
    }

    /// The shadow of a triangle on the floor.
    fn cast(&self, canvas: &mut Canvas, facet: &Facet) {
        let (first, second) = horizontal(&self.of.up);
        let fall = self.of.up * -1.0 + first * 0.25 + second * 0.2;
        let fallen = facet.corners.map(|p| p + fall * (self.of.up.dot(&p) - self.of.floor));
        if facet.corners.iter().all(|p| self.of.up.dot(p) < self.of.floor) {
            return;
        }
        if let [Some(a), Some(b), Some(c)] = fallen.map(|p| self.spot(&p, [0.0; 3])) {
            canvas.shade([a, b, c]);
        }
    }

    /// A grid on the floor that fades away; seen from the side a line.
    fn grid(&self, canvas: &mut Canvas) {
        let (first, second) = horizontal(&self.of.up);
        let [low, high] = self.of.around;
        let middle = (low + high) * 0.5 + self.away;
        let reach = 0.95 * (high - low).amax().max(self.of.length);
        let step = nice(reach / 6.0);
        let wide = FINE as f32 * 0.6;
        let on_floor = |u: f64, v: f64| first * u + second * v + self.of.up * self.of.floor;
        let centre = [first.dot(&middle), second.dot(&middle)];
        let steps = (reach / step).ceil() as i64;
        let snapped = centre.map(|c| (c / step).round() * step);
        let sideways = self.camera.back.dot(&self.of.up).abs() < 0.05;
        let line = |canvas: &mut Canvas, a: Vector, b: Vector, share: f32| {
            for k in 0..GRID_PARTS {
                let at = |k: usize| a + (b - a) * (k as f64 / GRID_PARTS as f64);
                if let (Some(from), Some(to)) =
                    (self.spot(&at(k), self.of.theme.grid), self.spot(&at(k + 1), self.of.theme.grid))
                {
                    let along = (2.0 * (k as f32 + 0.5) / GRID_PARTS as f32 - 1.0).abs();
                    canvas.line(from, to, wide, |_| share * (1.0 - along * along));
                }
            }
        };
        if sideways {
            let along = self.camera.right * (2.0 * reach);
            let foot = middle - self.of.up * (self.of.up.dot(&middle) - self.of.floor);
            return line(canvas, foot - along, foot + along, 0.7);
        }
        for k in -steps..=steps {
            let off = k as f64 * step;
            let share = 0.55 * (1.0 - (off / (reach + step)).powi(2)).max(0.0) as f32;
            let r = steps as f64 * step;
            line(
                canvas,
                on_floor(snapped[0] + off, snapped[1] - r),
                on_floor(snapped[0] + off, snapped[1] + r),
                share,
            );
            line(
                canvas,
                on_floor(snapped[0] - r, snapped[1] + off),
                on_floor(snapped[0] + r, snapped[1] + off),
                share,
            );
        }
    }
}

/// Things with shapes of their own and beams, which have their colours first.
fn things_before(scene: &Scene) -> usize {
    scene.bodies.iter().filter(|body| !body.shapes.is_empty()).count() + scene.beams.len()
}

/// Plates with their colours.
fn plates(scene: &Scene) -> Vec<(PlateSurface, Tint)> {
    let before = things_before(scene);
    let with_tint = |(k, plate): (usize, &ScenePlate)| {
        Some((PlateSurface::of(plate)?, thing(plate.color.as_deref(), before + k, false)))
    };
    scene.plates.iter().enumerate().filter_map(with_tint).collect()
}

/// Flexible bodies with their colours.
fn skins(scene: &Scene) -> Vec<(FlexibleSkin, Tint)> {
    let before = things_before(scene) + scene.plates.len();
    let flexible = scene.flexible.iter().enumerate();
    flexible
        .filter_map(|(k, flexible)| {
            let tint = thing(flexible.color.as_deref(), before + k, false);
            Some((FlexibleSkin::of(flexible)?, tint))
        })
        .collect()
}

/// 1, 2 or 5 times a power of ten, about as large.
fn nice(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let digit = [1.0, 2.0, 5.0, 10.0].into_iter().find(|d| d * power >= 0.999 * value).unwrap_or(10.0);
    digit * power
}

/// Some of the corners of triangles, the outermost along each axis among them.
fn outline(body: &Body) -> Vec<Vector> {
    let points: Vec<Vector> = body.facets.iter().flat_map(|facet| facet.corners).collect();
    let mut some: Vec<Vector> =
        points.iter().step_by(points.len().div_ceil(OUTLINE).max(1)).copied().collect();
    for i in 0..3 {
        let along = |a: &&Vector, b: &&Vector| a[i].total_cmp(&b[i]);
        some.extend(points.iter().min_by(along).into_iter().chain(points.iter().max_by(along)));
    }
    some
}

/// The mean place of the bodies.
fn middle(state: &Snapshot) -> Vector {
    let sum: Vector = state.poses.iter().map(|pose| pose.translation.vector).sum();
    sum / state.poses.len().max(1) as f64
}

/// Points of bodies that have to be in the picture.
fn solid_places<'s>(
    scene: &'s Scene,
    state: &'s Snapshot,
    outlines: &'s [Vec<Vector>],
) -> impl Iterator<Item = Vector> + 's {
    let nodes = scene.bodies.iter().zip(&state.poses).filter(|(body, _)| body.shapes.is_empty());
    let bodies = outlines.iter().zip(&state.poses);
    let solids = bodies.flat_map(|(list, pose)| list.iter().map(move |p| (pose * Point3::from(*p)).coords));
    solids.chain(nodes.map(|(_, pose)| pose.translation.vector))
}

/// Points that have to be in the picture.
fn places(scene: &Scene, state: &Snapshot, outlines: &[Vec<Vector>]) -> Vec<Vector> {
    let mut points: Vec<Vector> = solid_places(scene, state, outlines).collect();
    for beam in &scene.beams {
        let thick = beam.outline.iter().map(|[a, b]| a.hypot(*b)).fold(0.0, f64::max);
        for pose in state.line(beam) {
            points.extend([-thick, thick].map(|r| pose.translation.vector + Vector::repeat(r)));
        }
    }
    let ends = scene.joints.iter().flat_map(|j| &j.ends).chain(scene.springs.iter().flat_map(|s| &s.ends));
    points.extend(ends.map(|end| state.place(end)));
    points
}
