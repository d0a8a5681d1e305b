/** The grid under the mechanism: round spacing, fading outwards so that it has no edge. */
import { BufferAttribute, BufferGeometry, Color, LineBasicMaterial, LineSegments, Vector3 } from "three";
import type { Vec3 } from "./data";
import { roundNumber } from "./round";

export class Grid {
  readonly object: LineSegments;
  readonly spacing: number;
  private readonly fade: Float32Array;
  private readonly sides: [Vector3, Vector3];

  constructor(up: Vec3, points: Float64Array, length: number) {
    const u = new Vector3(...up).normalize();
    const a = (Math.abs(u.x) > 0.9 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0));
    a.addScaledVector(u, -a.dot(u)).normalize();
    const b = new Vector3().crossVectors(u, a);
    this.sides = [a, b];
    const range = (axis: Vector3): [number, number] => {
      let low = Infinity, high = -Infinity;
      for (let i = 0; i < points.length; i += 3) {
        const d = points[i]! * axis.x + points[i + 1]! * axis.y + points[i + 2]! * axis.z;
        low = Math.min(low, d);
        high = Math.max(high, d);
      }
      return [low, high];
    };
    const [a0, a1] = range(a), [b0, b1] = range(b), [low, high] = range(u);
    const size = Math.max(a1 - a0, b1 - b0, high - low, 0.5 * length);
    this.spacing = roundNumber(size / 8);
    const d = this.spacing;
    // The world's own ground plane, when the mechanism about stands on it.
    const height = Math.abs(low) < 0.15 * size ? Math.min(0, low) : low;
    const ca = Math.round((a0 + a1) / 2 / d) * d, cb = Math.round((b0 + b1) / 2 / d) * d;
    const n = Math.ceil((1.1 * size) / d);
    const position: number[] = [];
    const fade: number[] = [];
    const put = (i: number, j: number): void => {
      const p = new Vector3().addScaledVector(a, ca + i * d).addScaledVector(b, cb + j * d).addScaledVector(u, height);
      position.push(p.x, p.y, p.z);
      fade.push(Math.max(0, 1 - Math.hypot(i, j) / n) ** 1.3);
    };
    for (let i = -n; i <= n; i++) {
      for (let j = -n; j < n; j++) {
        put(i, j); put(i, j + 1);
        put(j, i); put(j + 1, i);
      }
    }
    this.fade = Float32Array.from(fade);
    const geometry = new BufferGeometry()
      .setAttribute("position", new BufferAttribute(new Float32Array(position), 3))
      .setAttribute("color", new BufferAttribute(new Float32Array(this.fade.length * 4), 4));
    this.object = new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
  }

  /** Moves along by whole squares, so that it seems to stand. */
  follow(way: Vector3): void {
    this.object.position.set(0, 0, 0);
    for (const side of this.sides) this.object.position.addScaledVector(side, Math.round(way.dot(side) / this.spacing) * this.spacing);
  }

  paint(name: string, strength: number): void {
    const color = new Color(name);
    const colors = this.object.geometry.getAttribute("color") as BufferAttribute;
    for (let i = 0; i < this.fade.length; i++) colors.setXYZW(i, color.r, color.g, color.b, strength * this.fade[i]!);
    colors.needsUpdate = true;
  }
}
