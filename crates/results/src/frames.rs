//! `motion.parquet`: where everything of a scene is, frame by frame.
//!
//! A frame is a row of numbers: of each body x, y, z and a quaternion (x, y, z, w); of each joint the force and torque on its second
//! end, of each load force and torque, both in world axes; of each beam element the stress resultants in section axes.

use crate::atomic_file::replace_with;
use crate::error::ResultsError;
use crate::scene::Scene;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{ArrayRef, Float32Array, Float64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Most numbers that are kept; beyond, every second frame is given up.
const MOST: usize = 48_000_000;
/// Numbers of a pose.
const POSE: usize = 7;
/// Numbers of a wrench.
const WRENCH: usize = 6;
/// Rows converted at a time.
const BATCH: usize = 1 << 12;

/// How many there are of what a frame holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FrameSize {
    /// Bodies.
    pub bodies: usize,
    /// Joints.
    pub joints: usize,
    /// Loads.
    pub loads: usize,
    /// Beam elements.
    pub elements: usize,
}

impl FrameSize {
    /// Of the frames of a scene.
    pub fn of(scene: &Scene) -> Self {
        FrameSize {
            bodies: scene.bodies.len(),
            joints: scene.joints.len(),
            loads: scene.loads.len(),
            elements: scene.elements(),
        }
    }

    /// Numbers in a frame.
    pub fn width(&self) -> usize {
        POSE * self.bodies + WRENCH * (self.joints + self.loads + self.elements)
    }

    /// Where the parts of a frame are: poses, reactions, loads, resultants.
    pub fn parts(&self) -> [std::ops::Range<usize>; 4] {
        let ends = [POSE * self.bodies, WRENCH * self.joints, WRENCH * self.loads, WRENCH * self.elements];
        let mut from = 0;
        ends.map(|length| {
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
#[derive(Debug, Clone, PartialEq, Default)]
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

    /// The frames from the one offered as number `from` on, each with its number. Frames that were given up are not among them.
    pub fn offered_from(&self, from: usize) -> impl Iterator<Item = (usize, f64, &[f32])> {
        let first = from.div_ceil(self.stride.max(1));
        (first..self.len()).map(|k| (k * self.stride, self.axis[k], self.frame(k)))
    }

    /// Frames as they were when they were recorded up to `course`, from a list that holds at least those kept then: number among
    /// those offered, value of the axis, numbers of the frame.
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
        let time = Field::new("time", DataType::Float64, false);
        let names = column_names(scene).into_iter().map(|name| Field::new(name, DataType::Float32, false));
        let schema = Arc::new(Schema::new(std::iter::once(time).chain(names).collect::<Vec<_>>()));
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        replace_with(path, |file| {
            let mut writer = ArrowWriter::try_new(file, schema.clone(), Some(properties))
                .map_err(ResultsError::parquet(path))?;
            for start in (0..self.len()).step_by(BATCH) {
                let rows = start..(start + BATCH).min(self.len());
                let axis = Arc::new(Float64Array::from(self.axis[rows.clone()].to_vec())) as ArrayRef;
                let column = |c: usize| -> ArrayRef {
                    Arc::new(Float32Array::from_iter_values(rows.clone().map(|k| self.frame(k)[c])))
                };
                let columns = std::iter::once(axis).chain((0..self.size.width()).map(column)).collect();
                let batch =
                    RecordBatch::try_new(schema.clone(), columns).map_err(ResultsError::parquet(path))?;
                writer.write(&batch).map_err(ResultsError::parquet(path))?;
            }
            writer.close().map_err(ResultsError::parquet(path))?;
            Ok(())
        })
    }

    /// Reads the frames of a scene.
    pub fn read(scene: &Scene, path: &Path) -> Result<Frames, ResultsError> {
        let size = FrameSize::of(scene);
        let refuse = |message: String| ResultsError::NotATable { path: path.to_owned(), message };
        let file = File::open(path).map_err(ResultsError::io("read", path))?;
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(ResultsError::parquet(path))?;
        let fields = builder.schema().fields();
        if fields.len() != size.width() + 1 {
            return Err(refuse(format!(
                "it has {} columns where the scene has {}",
                fields.len(),
                size.width() + 1
            )));
        }
        let wanted = std::iter::once(&DataType::Float64).chain(std::iter::repeat(&DataType::Float32));
        if let Some((field, _)) = fields.iter().zip(wanted).find(|(field, kind)| field.data_type() != *kind) {
            return Err(refuse(format!("column `{}` is of type {}", field.name(), field.data_type())));
        }
        let mut frames = Frames::new(size);
        for batch in builder.build().map_err(ResultsError::parquet(path))? {
            let batch = batch.map_err(ResultsError::parquet(path))?;
            if batch.columns().iter().any(|c| c.null_count() > 0) {
                return Err(refuse("it has missing values".into()));
            }
            let axis = batch.column(0).as_primitive::<Float64Type>();
            let columns: Vec<&Float32Array> =
                batch.columns()[1..].iter().map(|c| c.as_primitive::<Float32Type>()).collect();
            for row in 0..batch.num_rows() {
                frames.axis.push(axis.value(row));
                frames.values.extend(columns.iter().map(|c| c.value(row)));
            }
        }
        frames.offered = frames.len();
        Ok(frames)
    }
}

fn column_names(scene: &Scene) -> Vec<String> {
    let poses = scene.bodies.iter().map(|body| &body.name);
    let poses = poses.flat_map(|n| ["x", "y", "z", "qx", "qy", "qz", "qw"].map(|q| format!("{n}.{q}")));
    let wrench = |name: String| ["fx", "fy", "fz", "mx", "my", "mz"].map(|q| format!("{name}.{q}"));
    let reactions = scene.joints.iter().flat_map(|joint| wrench(format!("{}.reaction", joint.name)));
    let loads = scene.loads.iter().flat_map(|load| wrench(load.name.clone()));
    let elements = scene
        .beams
        .iter()
        .flat_map(|beam| (0..beam.elements).map(|e| format!("{}.element{e}", beam.name)).collect::<Vec<_>>());
    poses.chain(reactions).chain(loads).chain(elements.flat_map(wrench)).collect()
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
        let back = Frames::read(&scene(), &path).unwrap();
        assert_eq!((back.axis(), back.len()), (frames.axis(), 5000));
        assert!((0..5000).all(|k| back.frame(k) == frames.frame(k)));
        // Another scene, and a file cut short.
        assert!(Frames::read(&Scene::default(), &path).is_err());
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        assert!(Frames::read(&scene(), &path).is_err());
    }

    #[test]
    fn parts_and_reductions() {
        let frames = frames(101);
        assert_eq!(frames.size().parts(), [0..14, 14..20, 20..20, 20..20]);
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

    /// Frames that were stored bit by bit, before and after some were given up, go on as if nothing had happened.
    #[test]
    fn frames_go_on_after_a_break() {
        let mut whole = frames(9);
        let store = |frames: &Frames, from: usize| -> Vec<(usize, f64, Vec<f32>)> {
            frames.offered_from(from).map(|(k, axis, frame)| (k, axis, frame.to_vec())).collect()
        };
        let mut stored = store(&whole, 0);
        whole.thin();
        let more = |frames: &mut Frames, range: std::ops::Range<usize>| {
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
