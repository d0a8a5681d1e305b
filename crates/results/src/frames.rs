//! `motion.parquet`: where everything of a scene is, frame by frame.
//!
//! A frame is a row of numbers: of each body x, y, z and a quaternion (x, y, z, w); of each joint the force
//! and torque on its second end, of each load force and torque, both in world axes; of each element of beams
//! and plates the stress resultants in section axes, of plates those of a strip along the first side; of each
//! shape of a flexible body how far it is deformed along it.
//!
//! In the file a row has the time and a list of numbers for each of the five parts that the scene has; the
//! metadata of such a column name the things and the numbers of each. A column for each number would cost
//! some hundred kB for each body, whatever the number of frames.

use crate::error::ResultsError;
use crate::scene::{Scene, SceneError, SceneFlexible};
use crate::sealed_parquet::{self, Content, SealedFile};
use parquet::basic::Encoding;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::Path;

/// Most numbers that are kept; beyond, every second frame is given up.
const MOST: usize = 48_000_000;
/// Numbers of a pose.
const POSE: usize = 7;
/// Numbers of a wrench.
const WRENCH: usize = 6;
/// Key of the metadata under which the hash of the scene stands.
const SCENE: &str = "poinsot.scene";

/// How many there are of what a frame holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrameSize {
    /// Bodies.
    pub bodies: usize,
    /// Joints.
    pub joints: usize,
    /// Loads.
    pub loads: usize,
    /// Elements of beams and plates.
    pub elements: usize,
    /// Shapes of flexible bodies.
    pub amplitudes: usize,
}

impl FrameSize {
    /// Of the frames of a scene.
    pub fn of(scene: &Scene) -> Self {
        FrameSize {
            bodies: scene.bodies.len(),
            joints: scene.joints.len(),
            loads: scene.loads.len(),
            elements: scene.elements(),
            amplitudes: scene.amplitudes(),
        }
    }

    /// Numbers in a frame.
    pub fn width(&self) -> usize {
        self.lengths().iter().sum()
    }

    /// Numbers in each part of a frame.
    fn lengths(&self) -> [usize; 5] {
        let FrameSize { bodies, joints, loads, elements, amplitudes } = self;
        [POSE * bodies, WRENCH * joints, WRENCH * loads, WRENCH * elements, *amplitudes]
    }

    /// Where the parts of a frame are: poses, reactions, loads, resultants, amplitudes.
    pub fn parts(&self) -> [Range<usize>; 5] {
        let mut from = 0;
        self.lengths().map(|length| {
            from += length;
            from - length..from
        })
    }
}

/// Frames of a study.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Frames {
    size: FrameSize,
    axis: Vec<f64>,
    values: Vec<f32>,
    /// Frames that were offered.
    offered: usize,
    /// Every how many-th is kept.
    stride: usize,
    /// The last one offered, if it was not kept.
    last: Option<(f64, Vec<f32>)>,
}

/// How far the recording of frames has come.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FrameCourse {
    /// Frames that were offered.
    pub offered: usize,
    /// Every how many-th is kept.
    pub stride: usize,
    /// The last one offered, if it was not kept.
    pub last: Option<(f64, Vec<f32>)>,
}

impl Frames {
    /// Name of the file in a run folder.
    pub const FILE: &'static str = "motion.parquet";

    /// No frames yet.
    pub fn new(size: FrameSize) -> Self {
        Frames { size, stride: 1, ..Frames::default() }
    }

    /// What a frame holds.
    pub fn size(&self) -> FrameSize {
        self.size
    }

    /// Takes in a frame. When there are too many, every second is given up.
    pub fn push(&mut self, axis: f64, frame: &[f32]) {
        debug_assert_eq!(frame.len(), self.size.width());
        if self.offered.is_multiple_of(self.stride) {
            self.axis.push(axis);
            self.values.extend_from_slice(frame);
            self.last = None;
            if self.values.len() > MOST && self.axis.len() > 2 {
                self.thin();
            }
        } else {
            self.last = Some((axis, frame.to_vec()));
        }
        self.offered += 1;
    }

    fn thin(&mut self) {
        let width = self.size.width();
        let kept = self.axis.len().div_ceil(2);
        for k in 1..kept {
            self.axis[k] = self.axis[2 * k];
            self.values.copy_within(2 * k * width..(2 * k + 1) * width, k * width);
        }
        self.axis.truncate(kept);
        self.values.truncate(kept * width);
        self.stride *= 2;
    }

    /// Ends with the last frame that was offered.
    pub fn finish(&mut self) {
        if let Some((axis, frame)) = self.last.take() {
            self.axis.push(axis);
            self.values.extend(frame);
        }
    }

    /// What has to be known besides the frames to go on with them later.
    pub fn course(&self) -> FrameCourse {
        FrameCourse { offered: self.offered, stride: self.stride, last: self.last.clone() }
    }

    /// The frames from the one offered as number `from` on, each with its number. Frames that were given up
    /// are not among them.
    pub fn offered_from(&self, from: usize) -> impl Iterator<Item = (usize, f64, &[f32])> {
        let first = from.div_ceil(self.stride.max(1));
        (first..self.len()).map(|k| (k * self.stride, self.axis[k], self.frame(k)))
    }

    /// Frames as they were when they were recorded up to `course`, from a list that holds at least those kept
    /// then: number among those offered, value of the axis, numbers of the frame.
    pub fn resumed<'a>(
        size: FrameSize,
        course: FrameCourse,
        list: impl IntoIterator<Item = (usize, f64, &'a [f32])>,
    ) -> Self {
        let FrameCourse { offered, stride, last } = course;
        let mut frames = Frames { offered, stride: stride.max(1), last, ..Frames::new(size) };
        for (number, axis, frame) in list {
            if number.is_multiple_of(frames.stride) && number < offered {
                frames.axis.push(axis);
                frames.values.extend_from_slice(frame);
            }
        }
        frames
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.axis.len()
    }

    /// True without frames.
    pub fn is_empty(&self) -> bool {
        self.axis.is_empty()
    }

    /// Number of frames that were offered.
    pub fn offered(&self) -> usize {
        self.offered
    }

    /// What the frames run over: the time, or the parameter of a path.
    pub fn axis(&self) -> &[f64] {
        &self.axis
    }

    /// A frame.
    pub fn frame(&self, k: usize) -> &[f32] {
        let width = self.size.width();
        &self.values[k * width..(k + 1) * width]
    }

    /// The frame nearest to a value of the axis.
    pub fn nearest(&self, at: f64) -> Option<usize> {
        let distance = |&k: &usize| (self.axis[k] - at).abs();
        (0..self.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))
    }

    /// A part of all frames, one after another.
    pub fn part(&self, part: usize) -> impl Iterator<Item = f32> + '_ {
        let range = self.size.parts()[part].clone();
        (0..self.len()).flat_map(move |k| self.frame(k)[range.clone()].iter().copied())
    }

    /// At most `most` frames, evenly by number, with the first and the last.
    pub fn reduced(&self, most: usize) -> Frames {
        let n = self.len();
        if n <= most.max(2) {
            return self.clone();
        }
        let mut reduced = Frames { offered: self.offered, ..Frames::new(self.size) };
        for k in 0..most {
            let k = k * (n - 1) / (most - 1);
            reduced.axis.push(self.axis[k]);
            reduced.values.extend_from_slice(self.frame(k));
        }
        reduced
    }

    /// Writes the frames as a Parquet file, whole or not at all.
    pub fn write(&self, scene: &Scene, path: &Path) -> Result<(), ResultsError> {
        let axis = Content::Numbers { values: &self.axis, optional: false };
        let time = sealed_parquet::Column { name: "time", about: vec![], content: axis };
        let lists = self.columns().into_iter().map(|column| sealed_parquet::Column {
            name: column.name,
            about: column.about(scene),
            content: Content::Lists {
                length: column.range.len(),
                of: Box::new(move |rows| self.list(&column.range, rows)),
            },
        });
        let columns: Vec<_> = std::iter::once(time).chain(lists).collect();
        // Numbers of motions hardly ever repeat; byte by byte those of one kind are alike.
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_encoding(Encoding::BYTE_STREAM_SPLIT)
            .set_statistics_enabled(EnabledStatistics::None);
        let scene = [(SCENE, format!("{:016x}", sealed_parquet::hash(&scene.json()?)))];
        sealed_parquet::write(path, self.len(), &columns, properties, &scene)
    }

    /// The parts of a frame that hold something.
    fn columns(&self) -> Vec<Column> {
        let parts = [
            Column { name: "poses", parts: "x y z qx qy qz qw", range: 0..0 },
            Column { name: "reactions", parts: "fx fy fz mx my mz", range: 0..0 },
            Column { name: "loads", parts: "fx fy fz mx my mz", range: 0..0 },
            Column { name: "resultants", parts: "fx fy fz mx my mz", range: 0..0 },
            Column { name: "amplitudes", parts: "q", range: 0..0 },
        ];
        let ranged =
            parts.into_iter().zip(self.size.parts()).map(|(column, range)| Column { range, ..column });
        ranged.filter(|column| !column.range.is_empty()).collect()
    }

    /// The numbers of a column in some rows.
    fn list(&self, column: &Range<usize>, rows: Range<usize>) -> Vec<f32> {
        rows.flat_map(|k| self.frame(k)[column.clone()].iter().copied()).collect()
    }

    /// Reads the frames of a scene, which stands as `text` beside them.
    pub fn read(scene: &Scene, text: &str, path: &Path) -> Result<Frames, ResultsError> {
        let refuse = |message: String| ResultsError::NotATable { path: path.to_owned(), message };
        let file = SealedFile::open(path)?;
        let known = file.entry(SCENE);
        if known != Some(format!("{:016x}", sealed_parquet::hash(text)).as_str()) {
            let error = SceneError::OtherFrames;
            return Err(ResultsError::NotAScene { path: path.with_file_name(Scene::FILE), error });
        }
        let mut frames = Frames::new(FrameSize::of(scene));
        let columns = frames.columns();
        let wanted = columns.iter().map(|column| (column.name, "[f32]"));
        let wanted = std::iter::once(("time", "f64")).chain(wanted);
        if !wanted.eq(file.columns().iter().map(|(name, kind)| (*name, kind.as_str()))) {
            return Err(refuse("its columns are not those of the scene".into()));
        }
        file.read(path, |rows, chunks| {
            let missing = || refuse("it has missing values".into());
            let lists = chunks[1..].iter().zip(&columns);
            if lists.clone().any(|(list, column)| list.lists().len() != rows * column.range.len()) {
                return Err(missing());
            }
            for (row, time) in chunks[0].numbers().iter().enumerate() {
                frames.axis.push(time.ok_or_else(missing)?);
                for (list, Column { range, .. }) in lists.clone() {
                    frames
                        .values
                        .extend_from_slice(&list.lists()[row * range.len()..(row + 1) * range.len()]);
                }
            }
            Ok(())
        })?;
        frames.offered = frames.len();
        Ok(frames)
    }
}

/// A column of the file.
struct Column {
    name: &'static str,
    /// The numbers of each thing.
    parts: &'static str,
    /// Where they stand in a frame.
    range: Range<usize>,
}

impl Column {
    /// What it says about itself: the things in their order, and the numbers of each.
    fn about(&self, scene: &Scene) -> Vec<(String, String)> {
        let things: Vec<String> = match self.name {
            "poses" => scene.bodies.iter().map(|body| body.name.clone()).collect(),
            "reactions" => scene.joints.iter().map(|joint| joint.name.clone()).collect(),
            "loads" => scene.loads.iter().map(|load| load.name.clone()).collect(),
            "amplitudes" => {
                let shapes =
                    |f: &SceneFlexible| (1..=f.shapes).map(|k| format!("{}.mode{k}", f.name)).collect();
                scene.flexible.iter().flat_map::<Vec<String>, _>(shapes).collect()
            }
            _ => {
                let beams = scene.beams.iter();
                beams
                    .flat_map(|beam| (0..beam.elements).map(move |e| format!("{}.element{e}", beam.name)))
                    .collect()
            }
        };
        let things = serde_json::Value::from(things).to_string();
        vec![("of".to_owned(), things), ("parts".to_owned(), self.parts.to_owned())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{SceneBody, SceneJoint};

    fn scene() -> Scene {
        let body = |name: &str| SceneBody { name: name.into(), ..SceneBody::default() };
        Scene {
            bodies: vec![body("a"), body("b")],
            joints: vec![SceneJoint { name: "j".into(), ..SceneJoint::default() }],
            ..Scene::default()
        }
    }

    fn frames(number: usize) -> Frames {
        let scene = scene();
        let mut frames = Frames::new(FrameSize::of(&scene));
        for k in 0..number {
            let row: Vec<f32> = (0..20).map(|c| (k * 100 + c) as f32).collect();
            frames.push(k as f64 * 0.1, &row);
        }
        frames
    }

    #[test]
    fn frames_come_back_from_their_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(Frames::FILE);
        let frames = frames(5000);
        frames.write(&scene(), &path).unwrap();
        let text = scene().json().unwrap();
        let back = Frames::read(&scene(), &text, &path).unwrap();
        assert_eq!((back.axis(), back.len()), (frames.axis(), 5000));
        assert!((0..5000).all(|k| back.frame(k) == frames.frame(k)));
        // Another scene, and a file cut short.
        assert!(Frames::read(&Scene::default(), &text, &path).is_err());
        assert!(Frames::read(&scene(), &text.replace('a', "b"), &path).is_err());
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes.len() < 5000 * (8 + 20 * 4) + 10_000, "{} bytes", bytes.len());
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(Frames::read(&scene(), &text, &path).is_err());
        // A single bit, wherever it stands.
        for k in (0..bytes.len()).step_by(bytes.len() / 97) {
            let mut damaged = bytes.clone();
            damaged[k] ^= 1 << (k % 8);
            std::fs::write(&path, &damaged).unwrap();
            let error = Frames::read(&scene(), &text, &path).unwrap_err();
            assert!(matches!(error, ResultsError::Damaged { .. }), "byte {k}: {error}");
        }
    }

    #[test]
    fn parts_and_reductions() {
        let frames = frames(101);
        assert_eq!(frames.size().parts(), [0..14, 14..20, 20..20, 20..20, 20..20]);
        assert_eq!(frames.part(1).take(7).collect::<Vec<_>>(), [14., 15., 16., 17., 18., 19., 114.]);
        let few = frames.reduced(11);
        assert_eq!((few.len(), few.offered()), (11, 101));
        assert_eq!(few.frame(10), frames.frame(100));
        assert_eq!(few.axis()[5], frames.axis()[50]);
        assert_eq!(frames.nearest(4.96), Some(50));
    }

    #[test]
    fn too_many_frames_are_thinned_evenly_and_end_with_the_last() {
        let mut frames = frames(9);
        frames.thin();
        for k in 9..12 {
            frames.push(k as f64 * 0.1, &[k as f32; 20]);
        }
        frames.finish();
        let numbers: Vec<f32> = (0..frames.len()).map(|k| frames.frame(k)[0]).collect();
        assert_eq!(numbers, [0.0, 200.0, 400.0, 600.0, 800.0, 10.0, 11.0]);
        assert_eq!(frames.offered(), 12);
    }

    /// Frames that were stored bit by bit, before and after some were given up, go on as if nothing had
    /// happened.
    #[test]
    fn frames_go_on_after_a_break() {
        let mut whole = frames(9);
        let store = |frames: &Frames, from: usize| -> Vec<(usize, f64, Vec<f32>)> {
            frames.offered_from(from).map(|(k, axis, frame)| (k, axis, frame.to_vec())).collect()
        };
        let mut stored = store(&whole, 0);
        whole.thin();
        let more = |frames: &mut Frames, range: Range<usize>| {
            range.for_each(|k| frames.push(k as f64 * 0.1, &[k as f32; 20]));
        };
        more(&mut whole, 9..12);
        stored.extend(store(&whole, 9));
        let numbers: Vec<usize> = stored.iter().map(|(k, ..)| *k).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 7, 8, 10]);
        let list = stored.iter().map(|(k, axis, frame)| (*k, *axis, frame.as_slice()));
        let mut back = Frames::resumed(whole.size(), whole.course(), list);
        assert_eq!(back, whole);
        for frames in [&mut whole, &mut back] {
            more(frames, 12..14);
            frames.finish();
        }
        assert_eq!(back, whole);
    }
}
