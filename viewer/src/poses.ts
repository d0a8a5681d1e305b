/** Poses of all bodies at one instant, written into buffers that are made once. */
import type { Numbers } from "./blocks";
import type { Body, Mode } from "./data";

/** All parts of a scene draw themselves from this. */
export interface Instant { poses: Float64Array; matrices: Float64Array; amplitudes: Float64Array; frame: number; fraction: number }

/** Spherical interpolation of unit quaternions (x y z w) along the shorter way. */
export function slerp(a: ArrayLike<number>, i: number, b: ArrayLike<number>, j: number, u: number, out: Float64Array, o: number): void {
  const ax = a[i]!, ay = a[i + 1]!, az = a[i + 2]!, aw = a[i + 3]!;
  let bx = b[j]!, by = b[j + 1]!, bz = b[j + 2]!, bw = b[j + 3]!;
  let dot = ax * bx + ay * by + az * bz + aw * bw;
  if (dot < 0) {
    dot = -dot;
    bx = -bx; by = -by; bz = -bz; bw = -bw;
  }
  let p = 1 - u;
  let q = u;
  if (dot < 0.9995) {
    const angle = Math.acos(dot);
    const scale = 1 / Math.sin(angle);
    p = Math.sin(p * angle) * scale;
    q = Math.sin(q * angle) * scale;
  }
  const x = p * ax + q * bx, y = p * ay + q * by, z = p * az + q * bz, w = p * aw + q * bw;
  const norm = 1 / (Math.hypot(x, y, z, w) || 1);
  out[o] = x * norm;
  out[o + 1] = y * norm;
  out[o + 2] = z * norm;
  out[o + 3] = w * norm;
}

/** Poses between two frames: positions linearly, rotations spherically. */
export function interpolatePoses(frames: Numbers, bodies: number, frame: number, fraction: number, out: Float64Array): void {
  const size = bodies * 7;
  const a = frame * size;
  if (fraction === 0) {
    for (let i = 0; i < size; i++) out[i] = frames[a + i]!;
    return;
  }
  const b = a + size;
  for (let i = 0; i < size; i += 7) {
    for (let k = i; k < i + 3; k++) out[k] = frames[a + k]! + fraction * (frames[b + k]! - frames[a + k]!);
    slerp(frames, a + i + 3, frames, b + i + 3, fraction, out, i + 3);
  }
}

/** Enlarges the way from the poses of the first frame: positions along their line, turns about their axis, by half a turn at most. */
export function exaggerate(first: Numbers, bodies: number, scale: number, poses: Float64Array): void {
  for (let i = 0; i < bodies * 7; i += 7) {
    for (let k = i; k < i + 3; k++) poses[k] = first[k]! + scale * (poses[k]! - first[k]!);
    const ax = first[i + 3]!, ay = first[i + 4]!, az = first[i + 5]!, aw = first[i + 6]!;
    const bx = poses[i + 3]!, by = poses[i + 4]!, bz = poses[i + 5]!, bw = poses[i + 6]!;
    // The turn from a to b, in the axes of a.
    let x = aw * bx - ax * bw - ay * bz + az * by, y = aw * by + ax * bz - ay * bw - az * bx, z = aw * bz - ax * by + ay * bx - az * bw;
    const w = aw * bw + ax * bx + ay * by + az * bz, sine = Math.hypot(x, y, z);
    if (sine < 1e-12) continue;
    const half = Math.min(scale * Math.atan2(sine, Math.abs(w)), Math.PI / 2);
    const k = ((w < 0 ? -1 : 1) * Math.sin(half)) / sine, c = Math.cos(half);
    x *= k; y *= k; z *= k;
    poses[i + 3] = aw * x + ax * c + ay * z - az * y;
    poses[i + 4] = aw * y - ax * z + ay * c + az * x;
    poses[i + 5] = aw * z + ax * y - ay * x + az * c;
    poses[i + 6] = aw * c - ax * x - ay * y - az * z;
  }
}

/**
 * Moves the reference poses along a mode, Re(a e^{iφ}): the centre of mass by the translation, the
 * body about it by the rotation vector. Large amplitudes keep their shape since the turn is finite.
 */
export function applyMode(mode: Mode, bodies: Body[], phase: number, amplitude: number, poses: Float64Array): void {
  const c = amplitude * Math.cos(phase);
  const s = amplitude * Math.sin(phase);
  const centre = [0, 0, 0];
  for (let i = 0; i < bodies.length; i++) {
    const { translation, rotation } = mode.bodies[i]!;
    const o = i * 7;
    rotate(poses, o + 3, bodies[i]!.centre, centre);
    const rx = c * rotation.re[0] - s * rotation.im[0];
    const ry = c * rotation.re[1] - s * rotation.im[1];
    const rz = c * rotation.re[2] - s * rotation.im[2];
    const angle = Math.hypot(rx, ry, rz);
    const k = angle > 1e-12 ? Math.sin(angle / 2) / angle : 0.5;
    const tx = k * rx, ty = k * ry, tz = k * rz, tw = Math.cos(angle / 2);
    const x = poses[o + 3]!, y = poses[o + 4]!, z = poses[o + 5]!, w = poses[o + 6]!;
    const px = poses[o]! + centre[0]! + c * translation.re[0] - s * translation.im[0];
    const py = poses[o + 1]! + centre[1]! + c * translation.re[1] - s * translation.im[1];
    const pz = poses[o + 2]! + centre[2]! + c * translation.re[2] - s * translation.im[2];
    poses[o + 3] = tw * x + tx * w + ty * z - tz * y;
    poses[o + 4] = tw * y - tx * z + ty * w + tz * x;
    poses[o + 5] = tw * z + tx * y - ty * x + tz * w;
    poses[o + 6] = tw * w - tx * x - ty * y - tz * z;
    rotate(poses, o + 3, bodies[i]!.centre, centre);
    poses[o] = px - centre[0]!;
    poses[o + 1] = py - centre[1]!;
    poses[o + 2] = pz - centre[2]!;
  }
}

/** Largest displacement of a mode at amplitude one; what the amplitude slider is scaled by. */
export function modeSize(mode: Mode): number {
  let size = 0;
  for (const { translation: { re, im } } of mode.bodies) size = Math.max(size, Math.hypot(...re, ...im));
  for (const { re, im } of mode.amplitudes) size = Math.max(size, Math.hypot(re, im));
  return size;
}

/** v turned by the quaternion at q[o]. */
export function rotate(q: ArrayLike<number>, o: number, v: ArrayLike<number>, out: number[] | Float64Array): void {
  const x = q[o]!, y = q[o + 1]!, z = q[o + 2]!, w = q[o + 3]!;
  const vx = v[0]!, vy = v[1]!, vz = v[2]!;
  const tx = 2 * (y * vz - z * vy), ty = 2 * (z * vx - x * vz), tz = 2 * (x * vy - y * vx);
  out[0] = vx + w * tx + y * tz - z * ty;
  out[1] = vy + w * ty + z * tx - x * tz;
  out[2] = vz + w * tz + x * ty - y * tx;
}

/** World place of a point fixed in a body; `body` null is the ground. */
export function place(poses: ArrayLike<number>, body: number | null, at: ArrayLike<number>, out: Float64Array | number[], start = 0): void {
  if (body === null) {
    out[0] = at[0]!;
    out[1] = at[1]!;
    out[2] = at[2]!;
    return;
  }
  const o = start + body * 7;
  rotate(poses, o + 3, at, out);
  out[0]! += poses[o]!;
  out[1]! += poses[o + 1]!;
  out[2]! += poses[o + 2]!;
}

/** Column-major 4×4 matrix of each pose. */
export function poseMatrices(poses: Float64Array, bodies: number, out: Float64Array): void {
  for (let i = 0; i < bodies; i++) poseMatrix(poses, i * 7, out, i * 16);
}

export function poseMatrix(pose: ArrayLike<number>, p: number, out: Float64Array, o: number): void {
  const x = pose[p + 3]!, y = pose[p + 4]!, z = pose[p + 5]!, w = pose[p + 6]!;
  out[o] = 1 - 2 * (y * y + z * z);
  out[o + 1] = 2 * (x * y + z * w);
  out[o + 2] = 2 * (x * z - y * w);
  out[o + 3] = 0;
  out[o + 4] = 2 * (x * y - z * w);
  out[o + 5] = 1 - 2 * (x * x + z * z);
  out[o + 6] = 2 * (y * z + x * w);
  out[o + 7] = 0;
  out[o + 8] = 2 * (x * z + y * w);
  out[o + 9] = 2 * (y * z - x * w);
  out[o + 10] = 1 - 2 * (x * x + y * y);
  out[o + 11] = 0;
  out[o + 12] = pose[p]!;
  out[o + 13] = pose[p + 1]!;
  out[o + 14] = pose[p + 2]!;
  out[o + 15] = 1;
}

/** Product of two affine matrices; instances are a body's matrix times the shape's own. */
export function multiply(a: ArrayLike<number>, i: number, b: ArrayLike<number>, j: number, out: Float32Array | Float64Array, o: number): void {
  for (let c = 0; c < 4; c++) {
    const x = b[j + 4 * c]!, y = b[j + 4 * c + 1]!, z = b[j + 4 * c + 2]!, w = c === 3 ? 1 : 0;
    const at = o + 4 * c;
    out[at] = a[i]! * x + a[i + 4]! * y + a[i + 8]! * z + a[i + 12]! * w;
    out[at + 1] = a[i + 1]! * x + a[i + 5]! * y + a[i + 9]! * z + a[i + 13]! * w;
    out[at + 2] = a[i + 2]! * x + a[i + 6]! * y + a[i + 10]! * z + a[i + 14]! * w;
    out[at + 3] = w;
  }
}
