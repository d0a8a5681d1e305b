/** Flexible bodies: surfaces whose vertices follow r = R + A (X + Σ S_k q_k), coloured by how far they are displaced. */
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, type Material, Mesh } from "three";
import type { Numbers } from "./blocks";
import { viridis } from "./colormap";
import type { Flexible, Frames, Mode, Scene } from "./data";
import type { Instant } from "./poses";

class FlexibleMesh {
  readonly mesh: Mesh;
  readonly color: BufferAttribute;
  private readonly position: BufferAttribute;
  private readonly geometry = new BufferGeometry();
  private readonly displaced: Float32Array;

  constructor(readonly body: Flexible, material: Material) {
    const count = body.vertices.length;
    this.displaced = new Float32Array(count);
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
    displaced.fill(0);
    for (let k = 0; k < body.shapes; k++) {
      const q = amplitudes[body.first + k]!;
      if (q === 0) continue;
      const from = k * count;
      for (let i = 0; i < count; i++) displaced[i]! += q * body.displacements[from + i]!;
    }
    for (let i = 0; i < count; i += 3) {
      const x = body.vertices[i]! + scale * displaced[i]!, y = body.vertices[i + 1]! + scale * displaced[i + 1]!, z = body.vertices[i + 2]! + scale * displaced[i + 2]!;
      for (let r = 0; r < 3; r++) at[i + r] = matrices[m + r]! * x + matrices[m + 4 + r]! * y + matrices[m + 8 + r]! * z + matrices[m + 12 + r]!;
    }
    this.position.needsUpdate = true;
    this.geometry.computeVertexNormals();
  }

  /** Length of the displacement of each vertex as a colour. */
  paint(high: number): void {
    const colors = this.color.array as Float32Array, u = this.displaced;
    for (let i = 0; i < u.length; i += 3) viridis(high > 0 ? Math.hypot(u[i]!, u[i + 1]!, u[i + 2]!) / high : 0, colors, i);
    this.color.needsUpdate = true;
  }

  /** Largest displacement of a vertex. */
  largest(amplitudes: ArrayLike<number>, start: number): number {
    const { body } = this, count = body.vertices.length;
    let most = 0;
    for (let i = 0; i < count; i += 3) {
      let x = 0, y = 0, z = 0;
      for (let k = 0; k < body.shapes; k++) {
        const q = amplitudes[start + body.first + k]!, o = k * count + i;
        x += q * body.displacements[o]!;
        y += q * body.displacements[o + 1]!;
        z += q * body.displacements[o + 2]!;
      }
      most = Math.max(most, Math.hypot(x, y, z));
    }
    return most;
  }
}

/** Frames from which the scale of the colours is found. */
const SAMPLED = 60;

export class FlexibleBodies {
  readonly object = new Group();
  readonly meshes: FlexibleMesh[];
  /** Enlarges elastic displacements. */
  scale = 1;
  private high: number | null = null;
  private highest: number | null = null;

  constructor(scene: Scene, private readonly frames: Frames, material: Material) {
    this.meshes = scene.flexible.map((body) => new FlexibleMesh(body, material));
    for (const { mesh } of this.meshes) this.object.add(mesh);
  }

  /** Largest displacement of a vertex in the run, m. */
  get largest(): number {
    const { amplitudes, count, shapes } = this.frames;
    if (this.highest === null) {
      this.highest = 0;
      for (let s = 0; amplitudes && s < SAMPLED; s++) {
        const frame = Math.round((s / (SAMPLED - 1)) * (count - 1));
        for (const mesh of this.meshes) this.highest = Math.max(this.highest, mesh.largest(amplitudes, frame * shapes));
      }
    }
    return this.highest;
  }

  /** Colours by displacement up to the highest, or plainly. */
  colorBy(high: number | null): void {
    this.high = high;
    if (high !== null) return;
    for (const { color } of this.meshes) {
      color.array.fill(1);
      color.needsUpdate = true;
    }
  }

  update({ matrices, amplitudes }: Instant): void {
    for (const mesh of this.meshes) {
      mesh.update(matrices, amplitudes, this.scale);
      if (this.high !== null) mesh.paint(this.high);
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
