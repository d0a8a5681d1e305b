/** Beams: the section outline drawn along the deformed line, coloured by a stress resultant on request. */
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, Mesh, type Material, ShapeUtils, Vector2 } from "three";
import { BeamLine, elementValue } from "./beamline";
import { viridis } from "./colormap";
import type { Beam, Frames, Scene } from "./data";
import { type Instant, rotate } from "./poses";

export const RESULTANTS = [
  { key: "N", label: "N, normal force", unit: "N", column: 2 },
  { key: "Q1", label: "Q₁, shear force", unit: "N", column: 0 },
  { key: "Q2", label: "Q₂, shear force", unit: "N", column: 1 },
  { key: "T", label: "T, torque", unit: "N m", column: 5 },
  { key: "M1", label: "M₁, bending moment", unit: "N m", column: 3 },
  { key: "M2", label: "M₂, bending moment", unit: "N m", column: 4 },
] as const;

/** Least and greatest value over all frames, so that colours mean the same all the time. */
export function resultantRange(frames: Frames, column: number): [number, number] {
  let low = Infinity, high = -Infinity;
  const values = frames.resultants!;
  for (let i = column; i < values.length; i += 6) {
    if (values[i]! < low) low = values[i]!;
    if (values[i]! > high) high = values[i]!;
  }
  return low <= high ? [low, high] : [0, 0];
}

/** Outline points with their normals; a corner is sharp above 35° and gets two normals. */
function outlineVertices(outline: [number, number][]): { rim: number[][]; sides: [number, number][] } {
  const n = outline.length;
  const normals = outline.map(([x, y], i) => {
    const [u, v] = outline[(i + 1) % n]!;
    const norm = Math.hypot(u - x, v - y) || 1;
    return [(v - y) / norm, (x - u) / norm];
  });
  const rim: number[][] = [];
  const sides: [number, number][] = [];
  for (let i = 0; i < n; i++) {
    const j = (i + 1) % n;
    const corner = (at: number, before: number, after: number): void => {
      const a = normals[before]!, b = normals[after]!, own = normals[i]!;
      const smooth = a[0]! * b[0]! + a[1]! * b[1]! > Math.cos((35 * Math.PI) / 180);
      const x = smooth ? a[0]! + b[0]! : own[0]!, y = smooth ? a[1]! + b[1]! : own[1]!;
      const norm = Math.hypot(x, y) || 1;
      rim.push([...outline[at]!, x / norm, y / norm]);
    };
    corner(i, (i + n - 1) % n, i);
    corner(j, i, j);
    sides.push([rim.length - 2, rim.length - 1]);
  }
  return { rim, sides };
}

/** A counter-clockwise outline; a beam without one gets a small square. */
function tidy(outline: [number, number][], length: number): [number, number][] {
  if (outline.length < 3) {
    const a = 0.006 * length;
    return [[-a, -a], [a, -a], [a, a], [-a, a]];
  }
  const first = outline[0]!, last = outline[outline.length - 1]!;
  const open = first[0] === last[0] && first[1] === last[1] ? outline.slice(0, -1) : outline;
  const area = open.reduce((sum, [x, y], i) => sum + x * open[(i + 1) % open.length]![1] - y * open[(i + 1) % open.length]![0], 0);
  return area < 0 ? [...open].reverse() : open;
}

class BeamMesh {
  readonly line: BeamLine;
  readonly mesh: Mesh<BufferGeometry, Material>;
  private readonly rim: number[][];
  private readonly position: BufferAttribute;
  private readonly normal: BufferAttribute;
  readonly color: BufferAttribute;
  private readonly d1 = new Float64Array(3);
  private readonly d2 = new Float64Array(3);

  constructor(readonly beam: Beam, scene: Scene, frames: Frames, material: Material) {
    this.line = new BeamLine(beam, frames.poses);
    const outline = tidy(beam.outline, scene.length);
    const { rim, sides } = outlineVertices(outline);
    this.rim = rim;
    const m = this.line.count, r = rim.length, n = outline.length;
    const index: number[] = [];
    for (let i = 0; i < m - 1; i++) {
      for (const [a, b] of sides) index.push(i * r + a, i * r + b, (i + 1) * r + b, i * r + a, (i + 1) * r + b, (i + 1) * r + a);
    }
    const caps = m * r;
    for (const face of ShapeUtils.triangulateShape(outline.map(([x, y]) => new Vector2(x, y)), [])) {
      const [a, b, c] = face as [number, number, number];
      index.push(caps + a, caps + c, caps + b, caps + n + a, caps + n + b, caps + n + c);
    }
    // The caps repeat the corners of the outline with the normals of the end faces.
    this.caps = outline;
    const count = caps + 2 * n;
    const attribute = (): BufferAttribute => new BufferAttribute(new Float32Array(count * 3), 3).setUsage(DynamicDrawUsage);
    this.position = attribute();
    this.normal = attribute();
    this.color = attribute();
    this.color.array.fill(1);
    const geometry = new BufferGeometry().setIndex(index).setAttribute("position", this.position).setAttribute("normal", this.normal).setAttribute("color", this.color);
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
  }
  private readonly caps: [number, number][];

  update(poses: Float64Array): void {
    this.line.update(poses);
    const { samples, count } = this.line;
    const at = this.position.array, up = this.normal.array;
    let o = 0;
    for (let i = 0; i < count; i++) {
      this.section(i);
      for (const point of this.rim) {
        for (let k = 0; k < 3; k++) {
          at[o + k] = samples[i * 7 + k]! + point[0]! * this.d1[k]! + point[1]! * this.d2[k]!;
          up[o + k] = point[2]! * this.d1[k]! + point[3]! * this.d2[k]!;
        }
        o += 3;
      }
    }
    for (const i of [0, count - 1]) {
      this.section(i);
      const sign = i === 0 ? -1 : 1;
      const nx = sign * (this.d1[1]! * this.d2[2]! - this.d1[2]! * this.d2[1]!);
      const ny = sign * (this.d1[2]! * this.d2[0]! - this.d1[0]! * this.d2[2]!);
      const nz = sign * (this.d1[0]! * this.d2[1]! - this.d1[1]! * this.d2[0]!);
      for (const point of this.caps) {
        for (let k = 0; k < 3; k++) at[o + k] = samples[i * 7 + k]! + point[0] * this.d1[k]! + point[1] * this.d2[k]!;
        up[o] = nx; up[o + 1] = ny; up[o + 2] = nz;
        o += 3;
      }
    }
    this.position.needsUpdate = true;
    this.normal.needsUpdate = true;
  }

  private section(i: number): void {
    rotate(this.line.samples, i * 7 + 3, X, this.d1);
    rotate(this.line.samples, i * 7 + 3, Y, this.d2);
  }

  paint(value: (element: number) => number, low: number, high: number): void {
    const colors = this.color.array as Float32Array;
    const { count, station } = this.line;
    const r = this.rim.length, n = this.caps.length;
    const rgb = SCRATCH;
    const fill = (start: number, many: number, s: number): void => {
      viridis(high > low ? (elementValue(value, this.beam.elements, s) - low) / (high - low) : 0.5, rgb, 0);
      for (let j = start; j < start + many; j++) colors.set(rgb, 3 * j);
    };
    for (let i = 0; i < count; i++) fill(i * r, r, station[i]!);
    fill(count * r, n, 0);
    fill(count * r + n, n, this.beam.elements);
    this.color.needsUpdate = true;
  }
}

const X = [1, 0, 0], Y = [0, 1, 0];
const SCRATCH = new Float32Array(3);

export class Beams {
  readonly object = new Group();
  readonly meshes: BeamMesh[];
  private column: number | null = null;
  private range: [number, number] = [0, 0];

  constructor(scene: Scene, private readonly frames: Frames, material: Material) {
    this.meshes = scene.beams.map((beam) => new BeamMesh(beam, scene, frames, material));
    for (const { mesh } of this.meshes) this.object.add(mesh);
  }

  /** Colours by a resultant within a range, or plainly. */
  colorBy(column: number | null, range: [number, number]): void {
    this.column = this.frames.resultants ? column : null;
    this.range = range;
    if (this.column === null) {
      for (const { color } of this.meshes) {
        color.array.fill(1);
        color.needsUpdate = true;
      }
    }
  }

  update({ poses, frame, fraction }: Instant): void {
    for (const mesh of this.meshes) {
      mesh.update(poses);
      if (this.column === null) continue;
      const values = this.frames.resultants!, size = this.frames.elements * 6;
      const a = frame * size + mesh.beam.first * 6 + this.column;
      mesh.paint((e) => (fraction === 0 ? values[a + e * 6]! : values[a + e * 6]! + fraction * (values[a + size + e * 6]! - values[a + e * 6]!)), ...this.range);
    }
  }
}
