/** Flexible bodies: surfaces whose vertices follow r = R + A (X + Σ S_k q_k), coloured by displacement or stress. */
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, type Material, Mesh } from "three";
import type { Numbers } from "./blocks";
import { viridis } from "./colormap";
import type { Flexible, Frames, Mode, Scene } from "./data";
import type { Instant } from "./poses";

/** What the surface can be coloured by. */
export const FIELDS = [
  { key: "displacement", label: "Elastic displacement", unit: "m" },
  { key: "von_mises", label: "Von Mises stress", unit: "Pa" },
] as const;
export type Field = (typeof FIELDS)[number]["key"];

/** σ_v² = ((σ_x − σ_y)² + (σ_y − σ_z)² + (σ_z − σ_x)²)/2 + 3 (τ_yz² + τ_xz² + τ_xy²) of six numbers from `o` on. */
function vonMises(s: Float64Array, o: number): number {
  const x = s[o]!, y = s[o + 1]!, z = s[o + 2]!;
  return Math.sqrt(0.5 * ((x - y) ** 2 + (y - z) ** 2 + (z - x) ** 2) + 3 * (s[o + 3]! ** 2 + s[o + 4]! ** 2 + s[o + 5]! ** 2));
}

/** Σ_k q_k of the rows of shapes, the first of which belongs to amplitude `start`. */
function combine(rows: Numbers, amplitudes: ArrayLike<number>, start: number, shapes: number, out: Float64Array | Float32Array): void {
  out.fill(0);
  for (let k = 0; k < shapes; k++) {
    const q = amplitudes[start + k]!, from = k * out.length;
    if (q !== 0) for (let i = 0; i < out.length; i++) out[i]! += q * rows[from + i]!;
  }
}

class FlexibleMesh {
  readonly mesh: Mesh;
  readonly color: BufferAttribute;
  private readonly position: BufferAttribute;
  private readonly geometry = new BufferGeometry();
  private readonly displaced: Float32Array;
  private readonly stress: Float64Array;
  private readonly values: Float64Array;

  constructor(readonly body: Flexible, material: Material) {
    const count = body.vertices.length;
    this.displaced = new Float32Array(count);
    this.stress = new Float64Array(body.stresses ? body.stresses.length / body.shapes : 0);
    this.values = new Float64Array(count / 3);
    this.position = new BufferAttribute(new Float32Array(count), 3).setUsage(DynamicDrawUsage);
    this.color = new BufferAttribute(new Float32Array(count).fill(1), 3).setUsage(DynamicDrawUsage);
    this.geometry.setAttribute("position", this.position).setAttribute("color", this.color);
    this.geometry.setIndex(new BufferAttribute(Uint32Array.from(body.triangles), 1));
    this.mesh = new Mesh(this.geometry, material);
    this.mesh.frustumCulled = false;
  }

  /** Moves the vertices; `amplitudes` are those of all flexible bodies, `scale` enlarges what is elastic. */
  update(matrices: Float64Array, amplitudes: ArrayLike<number>, scale: number): void {
    const { body, displaced } = this;
    const at = this.position.array as Float32Array, count = displaced.length, m = body.frame * 16;
    combine(body.displacements, amplitudes, body.first, body.shapes, displaced);
    for (let i = 0; i < count; i += 3) {
      const x = body.vertices[i]! + scale * displaced[i]!, y = body.vertices[i + 1]! + scale * displaced[i + 1]!, z = body.vertices[i + 2]! + scale * displaced[i + 2]!;
      for (let r = 0; r < 3; r++) at[i + r] = matrices[m + r]! * x + matrices[m + 4 + r]! * y + matrices[m + 8 + r]! * z + matrices[m + 12 + r]!;
    }
    this.position.needsUpdate = true;
    this.geometry.computeVertexNormals();
  }

  /** A field at each vertex, of the larger side, for the amplitudes of all bodies from `start` on. */
  field(field: Field, amplitudes: ArrayLike<number>, start: number): Float64Array {
    const { body, displaced, stress, values } = this, first = start + body.first;
    if (field === "displacement") {
      combine(body.displacements, amplitudes, first, body.shapes, displaced);
      for (let i = 0; i < values.length; i++) values[i] = Math.hypot(displaced[3 * i]!, displaced[3 * i + 1]!, displaced[3 * i + 2]!);
      return values;
    }
    values.fill(0);
    if (body.stresses) combine(body.stresses, amplitudes, first, body.shapes, stress);
    for (let o = 0; o < stress.length; o += 6) {
      const i = (o / 6) % values.length;
      values[i] = Math.max(values[i]!, vonMises(stress, o));
    }
    return values;
  }

  /** A field as colours up to the highest. */
  paint(field: Field, amplitudes: ArrayLike<number>, high: number): void {
    const colors = this.color.array as Float32Array;
    this.field(field, amplitudes, 0).forEach((value, i) => viridis(high > 0 ? value / high : 0, colors, 3 * i));
    this.color.needsUpdate = true;
  }
}

/** Frames from which the scale of the colours is found. */
const SAMPLED = 60;

export class FlexibleBodies {
  readonly object = new Group();
  readonly meshes: FlexibleMesh[];
  /** Enlarges elastic displacements. */
  scale = 1;
  private painted: { field: Field; high: number } | null = null;
  private readonly highest = new Map<Field, number>();

  constructor(scene: Scene, private readonly frames: Frames, material: Material) {
    this.meshes = scene.flexible.map((body) => new FlexibleMesh(body, material));
    for (const { mesh } of this.meshes) this.object.add(mesh);
  }

  /** Largest value of a field in the run. */
  largest(field: Field): number {
    const known = this.highest.get(field);
    if (known !== undefined) return known;
    const { amplitudes, count, shapes } = this.frames;
    let most = 0;
    for (let s = 0; amplitudes && s < SAMPLED; s++) {
      const frame = Math.round((s / (SAMPLED - 1)) * (count - 1));
      for (const mesh of this.meshes) for (const value of mesh.field(field, amplitudes, frame * shapes)) most = Math.max(most, value);
    }
    this.highest.set(field, most);
    return most;
  }

  /** Colours by a field up to the highest, or plainly. */
  colorBy(field: Field | null, high: number): void {
    this.painted = field && { field, high };
    if (field) return;
    for (const { color } of this.meshes) {
      color.array.fill(1);
      color.needsUpdate = true;
    }
  }

  update({ matrices, amplitudes }: Instant): void {
    for (const mesh of this.meshes) {
      mesh.update(matrices, amplitudes, this.scale);
      if (this.painted) mesh.paint(this.painted.field, amplitudes, this.painted.high);
    }
  }
}

/** Amplitudes between two frames. */
export function interpolateAmplitudes(values: Numbers | undefined, frame: number, fraction: number, out: Float64Array): void {
  if (!values) return;
  const a = frame * out.length, b = a + out.length;
  for (let k = 0; k < out.length; k++) out[k] = fraction === 0 ? values[a + k]! : values[a + k]! + fraction * (values[b + k]! - values[a + k]!);
}

/** Adds what a mode does at a phase. */
export function deformByMode(mode: Mode, phase: number, amplitude: number, out: Float64Array): void {
  const c = amplitude * Math.cos(phase), s = amplitude * Math.sin(phase);
  mode.amplitudes.forEach(({ re, im }, k) => { if (k < out.length) out[k]! += c * re - s * im; });
}
