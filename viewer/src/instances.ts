/** Copies of one geometry, each fixed in a body: one draw call however many there are. */
import { type BufferGeometry, Color, InstancedMesh, type Material, Matrix4, Quaternion, Vector3 } from "three";
import type { Pose, Vec3 } from "./data";
import { type Instant, multiply } from "./poses";

export interface Item { body: number | null; local: Matrix4; color?: string }

export class Instances {
  readonly object: InstancedMesh;
  private readonly locals: Float64Array;

  constructor(geometry: BufferGeometry, material: Material, readonly items: Item[]) {
    this.object = new InstancedMesh(geometry, material, items.length);
    this.object.frustumCulled = false;
    this.locals = new Float64Array(items.length * 16);
    items.forEach(({ local }, i) => {
      this.locals.set(local.elements, i * 16);
      this.object.setMatrixAt(i, local);
    });
  }

  update({ matrices }: Instant): void {
    const out = this.object.instanceMatrix.array as Float32Array;
    this.items.forEach(({ body }, i) => {
      if (body !== null) multiply(matrices, body * 16, this.locals, i * 16, out, i * 16);
    });
    this.object.instanceMatrix.needsUpdate = true;
  }

  /** Colours each copy by its body; the material's own colour is white then. */
  paint(color: (item: Item) => Color): void {
    this.items.forEach((item, i) => this.object.setColorAt(i, color(item)));
    if (this.object.instanceColor) this.object.instanceColor.needsUpdate = true;
  }
}

export function localMatrix(pose: Pose, sx: number, sy: number, sz: number): Matrix4 {
  return new Matrix4().compose(new Vector3(...pose.position), new Quaternion(...pose.rotation).normalize(), new Vector3(sx, sy, sz));
}

/** Turns z onto an axis and scales; the two other directions are arbitrary. */
export function alongAxis(at: Vec3, axis: Vec3, radius: number, length: number): Matrix4 {
  const out = new Float64Array(16);
  stretch(out, 0, at, axis, radius, length);
  return new Matrix4().fromArray(out);
}

/** Writes the matrix that puts the z axis of a unit geometry along `direction`, from `at`. */
export function stretch(out: Float32Array | Float64Array, o: number, at: ArrayLike<number>, direction: ArrayLike<number>, radius: number, length: number): void {
  let x = direction[0]!, y = direction[1]!, z = direction[2]!;
  const norm = Math.hypot(x, y, z);
  if (!(norm > 0)) {
    out.fill(0, o, o + 16);
    return;
  }
  x /= norm; y /= norm; z /= norm;
  // The coordinate axis least aligned with the direction gives a safe cross product.
  const ax = Math.abs(x), ay = Math.abs(y), az = Math.abs(z);
  let ux = 0, uy = 0, uz = 0;
  if (ax <= ay && ax <= az) { uy = z; uz = -y; } else if (ay <= az) { ux = -z; uz = x; } else { ux = y; uy = -x; }
  const un = radius / Math.hypot(ux, uy, uz);
  ux *= un; uy *= un; uz *= un;
  out[o] = ux; out[o + 1] = uy; out[o + 2] = uz; out[o + 3] = 0;
  out[o + 4] = y * uz - z * uy; out[o + 5] = z * ux - x * uz; out[o + 6] = x * uy - y * ux; out[o + 7] = 0;
  out[o + 8] = x * length; out[o + 9] = y * length; out[o + 10] = z * length; out[o + 11] = 0;
  out[o + 12] = at[0]!; out[o + 13] = at[1]!; out[o + 14] = at[2]!; out[o + 15] = 1;
}
