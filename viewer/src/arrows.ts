/** Forces as arrows with one head, moments as arrows with two, drawn at points of bodies. */
import { Color, ConeGeometry, CylinderGeometry, Group, InstancedMesh, MeshLambertMaterial } from "three";
import type { Numbers } from "./blocks";
import type { End } from "./data";
import { withUnit } from "./dom";
import { stretch } from "./instances";
import { type Instant, place } from "./poses";

/** A force that nearly all others stay below, so that one peak does not shrink the rest to dots. */
export function typicalSize(values: Numbers, offset: number): number {
  const rows = values.length / 6;
  const stride = Math.max(1, Math.floor(rows / 20000));
  const sizes: number[] = [];
  for (let i = 0; i < rows; i += stride) {
    const o = i * 6 + offset;
    const size = Math.hypot(values[o]!, values[o + 1]!, values[o + 2]!);
    if (size > 0 && Number.isFinite(size)) sizes.push(size);
  }
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor(0.95 * (sizes.length - 1))] ?? 0;
}

export class Arrows {
  readonly object = new Group();
  scale = 1;
  readonly shafts: InstancedMesh;
  readonly heads: InstancedMesh;
  private readonly material = new MeshLambertMaterial({ transparent: true }); // opaque, but sorted among what is drawn last
  private readonly sizes: [number, number];
  private readonly at = new Float64Array(3);
  private readonly vector = new Float64Array(3);

  constructor(private readonly names: string[], private readonly ends: End[], private readonly values: Numbers, private readonly length: number, order: number) {
    const n = ends.length;
    this.shafts = new InstancedMesh(new CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0).rotateX(Math.PI / 2), this.material, 2 * n);
    this.heads = new InstancedMesh(new ConeGeometry(1, 1, 20).translate(0, -0.5, 0).rotateX(Math.PI / 2), this.material, 3 * n);
    this.shafts.frustumCulled = this.heads.frustumCulled = false;
    // Forces often run along the inside of a body: they are drawn last and over everything else.
    this.shafts.renderOrder = order;
    this.heads.renderOrder = order + 1;
    this.shafts.onBeforeRender = (renderer) => renderer.clearDepth();
    this.object.add(this.shafts, this.heads);
    this.sizes = [typicalSize(values, 0), typicalSize(values, 3)];
  }

  /** Moments take a lighter tone of the colour of the forces; the second head is what tells them apart. */
  paint(color: string): void {
    const force = new Color(color);
    const moment = force.clone().lerp(new Color("#ffffff"), 0.35);
    for (let i = 0; i < this.ends.length; i++) {
      this.shafts.setColorAt(2 * i, force);
      this.shafts.setColorAt(2 * i + 1, moment);
      this.heads.setColorAt(3 * i, force);
      this.heads.setColorAt(3 * i + 1, moment);
      this.heads.setColorAt(3 * i + 2, moment);
    }
    // Without arrows there are no colours either.
    for (const { instanceColor } of [this.shafts, this.heads]) if (instanceColor) instanceColor.needsUpdate = true;
  }

  /** Writes the force (kind 0) or moment (kind 1) at an instant and returns its size. */
  private read(i: number, kind: number, { frame, fraction }: Instant): number {
    const { values, vector } = this;
    const n = this.ends.length;
    const a = (frame * n + i) * 6 + 3 * kind;
    const b = fraction === 0 ? a : a + n * 6;
    for (let k = 0; k < 3; k++) vector[k] = values[a + k]! + fraction * (values[b + k]! - values[a + k]!);
    return Math.hypot(vector[0]!, vector[1]!, vector[2]!);
  }

  /** Name and size of the arrow that a copy of a shaft or a head belongs to. */
  describe(mesh: InstancedMesh, copy: number, instant: Instant): string {
    const parts = mesh === this.shafts ? 2 : 3;
    const i = Math.floor(copy / parts), kind = Math.min(copy % parts, 1);
    return `${this.names[i]!} · ${kind === 0 ? "force" : "moment"} ${withUnit(this.read(i, kind, instant), kind === 0 ? "N" : "N m")}`;
  }

  update(instant: Instant): void {
    const { poses } = instant;
    const n = this.ends.length;
    const shafts = this.shafts.instanceMatrix.array as Float32Array;
    const heads = this.heads.instanceMatrix.array as Float32Array;
    const { at, vector, length } = this;
    for (let i = 0; i < n; i++) {
      const end = this.ends[i]!;
      for (let kind = 0; kind < 2; kind++) {
        place(poses, end.body, end.at, at);
        const size = this.read(i, kind, instant);
        const long = this.sizes[kind]! > 0 ? (0.3 * length * this.scale * size) / this.sizes[kind]! : 0;
        // Too short to see, or a rounding rest of a zero.
        if (!(long > 0.004 * length)) {
          shafts.fill(0, (2 * i + kind) * 16, (2 * i + kind + 1) * 16);
          heads.fill(0, (3 * i + kind) * 16, (3 * i + (kind === 0 ? 1 : 3)) * 16);
          continue;
        }
        const head = Math.min(0.065 * length, 0.6 * long);
        const shaft = Math.max(long - head * (kind === 0 ? 1 : 1.7), 0.01 * long);
        stretch(shafts, (2 * i + kind) * 16, at, vector, Math.min(0.0065 * length, 0.06 * long), shaft);
        for (let k = 0; k < 3; k++) at[k]! += (vector[k]! / size) * long;
        stretch(heads, (3 * i + kind) * 16, at, vector, 0.32 * head, head);
        if (kind === 1) {
          for (let k = 0; k < 3; k++) at[k]! -= (vector[k]! / size) * 0.7 * head;
          stretch(heads, (3 * i + 2) * 16, at, vector, 0.32 * head, head);
        }
      }
    }
    this.shafts.instanceMatrix.needsUpdate = this.heads.instanceMatrix.needsUpdate = true;
  }
}
