/** Plates: one smooth surface through their nodes, with both sides and the rim, coloured by a stress resultant on request.
 *
 * Over an element r = Σ H_a(ξ) H_b(η) r_ab + G_a(ξ) H_b(η) r_ξ,ab + H_a(ξ) G_b(η) r_η,ab with the cubics of Hermite. Slopes turn
 * with the axes of their node and stretch as the edges that meet there, which are taken for arcs of circles. */
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, type Material, Mesh } from "three";
import { elementValue } from "./beamline";
import { viridis } from "./colormap";
import type { Frames, Plate, Scene } from "./data";
import { type Instant, rotate } from "./poses";

/** Parts along a direction of a plate, about so many, and of an element at most. */
const MOST = 96, PARTS = 6;

/** H₀, H₁, G₀, G₁ of Hermite. */
function cubics(x: number): [number, number, number, number] {
  const y = 1 - x;
  return [(1 + 2 * x) * y * y, x * x * (3 - 2 * x), x * y * y, -x * x * y];
}

/** The middle surface of a plate as points on a grid, the first direction running faster. */
export class PlateGrid {
  readonly parts: [number, number];
  readonly size: [number, number];
  readonly points: Float64Array;
  /** Place and slopes of each node, nine numbers. */
  private readonly nodes: Float64Array;
  private readonly turned: Float64Array;

  constructor(readonly plate: Plate) {
    const part = (n: number): number => Math.max(1, Math.min(PARTS, Math.floor(MOST / n)));
    const [nu, nv] = plate.elements;
    this.parts = [part(nu), part(nv)];
    this.size = [nu * this.parts[0] + 1, nv * this.parts[1] + 1];
    this.points = new Float64Array(3 * this.size[0] * this.size[1]);
    this.nodes = new Float64Array(9 * plate.nodes.length);
    this.turned = new Float64Array(9 * plate.nodes.length);
  }

  update(poses: ArrayLike<number>): void {
    this.place(poses);
    const { nodes, points } = this, [nu, nv] = this.plate.elements, [pu, pv] = this.parts, [mu, mv] = this.size;
    points.fill(0);
    for (let j = 0; j < mv; j++) {
      const ev = Math.min(Math.floor(j / pv), nv - 1), h = cubics((j - ev * pv) / pv);
      for (let i = 0; i < mu; i++) {
        const eu = Math.min(Math.floor(i / pu), nu - 1), g = cubics((i - eu * pu) / pu), o = 3 * (j * mu + i);
        for (let b = 0; b < 2; b++) for (let a = 0; a < 2; a++) {
          const n = 9 * ((ev + b) * (nu + 1) + eu + a);
          const x = g[a]! * h[b]!, u = g[2 + a]! * h[b]!, v = g[a]! * h[2 + b]!;
          for (let k = 0; k < 3; k++) points[o + k]! += x * nodes[n + k]! + u * nodes[n + 3 + k]! + v * nodes[n + 6 + k]!;
        }
      }
    }
  }

  /** Places and slopes of the nodes in the world. */
  private place(poses: ArrayLike<number>): void {
    const { nodes, turned } = this, { plate } = this, [nu, nv] = plate.elements, out = new Float64Array(3);
    plate.nodes.forEach((body, n) => {
      for (let k = 0; k < 3; k++) turned[9 * n + k] = poses[7 * body + k]!;
      for (const d of [0, 1]) {
        rotate(poses as Float64Array, 7 * body + 3, [0, 1, 2].map((k) => plate.slopes[6 * n + 3 * d + k]!), out);
        turned.set(out, 9 * n + 3 + 3 * d);
      }
    });
    nodes.set(turned);
    plate.nodes.forEach((_, n) => {
      const at = [n % (nu + 1), Math.floor(n / (nu + 1))];
      for (const d of [0, 1]) {
        const stride = d === 0 ? 1 : nu + 1, edges: number[] = [];
        if (at[d]! > 0) edges.push(this.stretch(n - stride, n, d));
        if (at[d]! < (d === 0 ? nu : nv)) edges.push(this.stretch(n, n + stride, d));
        const factor = edges.reduce((sum, x) => sum + x, 0) / edges.length;
        for (let k = 0; k < 3; k++) nodes[9 * n + 3 + 3 * d + k]! *= factor;
      }
    });
  }

  /** Length of the arc of an edge over the mean of the slopes at its ends. */
  private stretch(a: number, b: number, d: number): number {
    const t = this.turned, s = 9 * a + 3 + 3 * d, e = 9 * b + 3 + 3 * d;
    const length = (o: number): number => Math.hypot(t[o]!, t[o + 1]!, t[o + 2]!);
    const cosine = (t[s]! * t[e]! + t[s + 1]! * t[e + 1]! + t[s + 2]! * t[e + 2]!) / (length(s) * length(e) || 1);
    const half = Math.sqrt(Math.max(0, Math.min(1, 0.5 * (1 + cosine))));
    const chord = Math.hypot(t[9 * b]! - t[9 * a]!, t[9 * b + 1]! - t[9 * a + 1]!, t[9 * b + 2]! - t[9 * a + 2]!);
    return chord / (0.5 * (1 + half) * 0.5 * (length(s) + length(e)) || 1);
  }
}

class PlateMesh {
  readonly grid: PlateGrid;
  readonly mesh: Mesh<BufferGeometry, Material>;
  readonly color: BufferAttribute;
  private readonly position: BufferAttribute;
  private readonly normals: Float64Array;
  /** Points of the grid around the rim, the first one again at its end. */
  private readonly rim: number[];

  constructor(readonly plate: Plate, material: Material) {
    this.grid = new PlateGrid(plate);
    const [mu, mv] = this.grid.size, count = mu * mv, index: number[] = [];
    for (let j = 0; j < mv - 1; j++) for (let i = 0; i < mu - 1; i++) {
      const a = j * mu + i, b = a + mu;
      index.push(a, a + 1, b + 1, a, b + 1, b, count + a, count + b + 1, count + a + 1, count + a, count + b, count + b + 1);
    }
    const along = (n: number, of: (k: number) => number): number[] => Array.from({ length: n - 1 }, (_, k) => of(k));
    this.rim = [...along(mu, (i) => i), ...along(mv, (j) => j * mu + mu - 1), ...along(mu, (i) => mv * mu - 1 - i), ...along(mv, (j) => (mv - 1 - j) * mu), 0];
    const first = 2 * count, n = this.rim.length - 1;
    // Each piece of the rim has corners of its own, so that it is flat.
    for (let k = 0; k < n; k++) {
      const o = first + 4 * k;
      index.push(o, o + 1, o + 2, o, o + 2, o + 3);
    }
    const total = first + 4 * n;
    this.normals = new Float64Array(3 * count);
    this.position = new BufferAttribute(new Float32Array(3 * total), 3).setUsage(DynamicDrawUsage);
    this.color = new BufferAttribute(new Float32Array(3 * total).fill(1), 3).setUsage(DynamicDrawUsage);
    const geometry = new BufferGeometry().setAttribute("position", this.position).setAttribute("color", this.color);
    geometry.setIndex(new BufferAttribute(Uint32Array.from(index), 1));
    this.mesh = new Mesh(geometry, material);
    this.mesh.frustumCulled = false;
  }

  update(poses: ArrayLike<number>): void {
    this.grid.update(poses);
    const { normals } = this, { points, size: [mu, mv] } = this.grid, at = this.position.array as Float32Array, half = 0.5 * this.plate.thickness, count = mu * mv;
    for (let j = 0; j < mv; j++) for (let i = 0; i < mu; i++) {
      const [w, e] = [Math.max(i - 1, 0), Math.min(i + 1, mu - 1)].map((k) => 3 * (j * mu + k)) as [number, number];
      const [s, n] = [Math.max(j - 1, 0), Math.min(j + 1, mv - 1)].map((k) => 3 * (k * mu + i)) as [number, number];
      const a = [0, 1, 2].map((k) => points[e + k]! - points[w + k]!), b = [0, 1, 2].map((k) => points[n + k]! - points[s + k]!);
      const c = [a[1]! * b[2]! - a[2]! * b[1]!, a[2]! * b[0]! - a[0]! * b[2]!, a[0]! * b[1]! - a[1]! * b[0]!];
      const norm = Math.hypot(...c) || 1, o = 3 * (j * mu + i);
      for (let k = 0; k < 3; k++) {
        normals[o + k] = c[k]! / norm;
        at[o + k] = points[o + k]! + half * normals[o + k]!;
        at[3 * count + o + k] = points[o + k]! - half * normals[o + k]!;
      }
    }
    const put = (vertex: number, point: number, side: number): void => {
      for (let k = 0; k < 3; k++) at[3 * vertex + k] = points[3 * point + k]! + side * half * normals[3 * point + k]!;
    };
    for (let k = 0; k + 1 < this.rim.length; k++) {
      const a = this.rim[k]!, b = this.rim[k + 1]!, o = 2 * count + 4 * k;
      put(o, a, -1);
      put(o + 1, b, -1);
      put(o + 2, b, 1);
      put(o + 3, a, 1);
    }
    this.position.needsUpdate = true;
    this.mesh.geometry.computeVertexNormals();
  }

  /** Colours by the values of the elements, evenly between their middles along both directions. */
  paint(value: (element: number) => number, low: number, high: number): void {
    const { size: [mu, mv], parts } = this.grid, [nu, nv] = this.plate.elements, colors = this.color.array as Float32Array, count = mu * mv;
    const row = (j: number, i: number): number => elementValue((e) => value(j * nu + e), nu, i / parts[0]);
    for (let j = 0; j < mv; j++) for (let i = 0; i < mu; i++) {
      const found = elementValue((e) => row(e, i), nv, j / parts[1]), o = 3 * (j * mu + i);
      viridis(high > low ? (found - low) / (high - low) : 0.5, colors, o);
      colors.copyWithin(3 * count + o, o, o + 3);
    }
    for (let k = 0; k + 1 < this.rim.length; k++) [this.rim[k]!, this.rim[k + 1]!, this.rim[k + 1]!, this.rim[k]!].forEach((point, corner) => {
      colors.copyWithin(3 * (2 * count + 4 * k + corner), 3 * point, 3 * point + 3);
    });
    this.color.needsUpdate = true;
  }
}

export class Plates {
  readonly object = new Group();
  readonly meshes: PlateMesh[];
  private column: number | null = null;
  private range: [number, number] = [0, 0];

  constructor(scene: Scene, private readonly frames: Frames, material: Material) {
    this.meshes = scene.plates.map((plate) => new PlateMesh(plate, material));
    for (const { mesh } of this.meshes) this.object.add(mesh);
  }

  /** Colours by a resultant within a range, or plainly. */
  colorBy(column: number | null, range: [number, number]): void {
    this.column = this.frames.resultants ? column : null;
    this.range = range;
    if (this.column !== null) return;
    for (const { color } of this.meshes) {
      color.array.fill(1);
      color.needsUpdate = true;
    }
  }

  update({ poses, frame, fraction }: Instant): void {
    for (const mesh of this.meshes) {
      mesh.update(poses);
      if (this.column === null) continue;
      const values = this.frames.resultants!, size = this.frames.elements * 6;
      const a = frame * size + mesh.plate.first * 6 + this.column;
      mesh.paint((e) => (fraction === 0 ? values[a + e * 6]! : values[a + e * 6]! + fraction * (values[a + size + e * 6]! - values[a + e * 6]!)), ...this.range);
    }
  }
}
