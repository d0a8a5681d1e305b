/** Things stretched between two points: springs and distance rods. */
import { type BufferGeometry, Curve, InstancedMesh, type Material, TubeGeometry, Vector3 } from "three";
import type { End } from "./data";
import { stretch } from "./instances";
import { type Instant, place } from "./poses";

export class Links {
  readonly object: InstancedMesh;
  private readonly a = new Float64Array(3);
  private readonly b = new Float64Array(3);

  /** The geometry runs along z from 0 to 1. */
  constructor(geometry: BufferGeometry, material: Material, private readonly ends: [End, End][], private readonly radius: number) {
    this.object = new InstancedMesh(geometry, material, ends.length);
    this.object.frustumCulled = false;
  }

  update({ poses }: Instant): void {
    const out = this.object.instanceMatrix.array as Float32Array;
    for (let i = 0; i < this.ends.length; i++) {
      const [p, q] = this.ends[i]!;
      place(poses, p.body, p.at, this.a);
      place(poses, q.body, q.at, this.b);
      for (let k = 0; k < 3; k++) this.b[k]! -= this.a[k]!;
      stretch(out, i * 16, this.a, this.b, this.radius, Math.hypot(this.b[0]!, this.b[1]!, this.b[2]!));
    }
    this.object.instanceMatrix.needsUpdate = true;
  }
}

/** A coil of radius one along z from 0 to 1, with straight ends. */
export function coil(): BufferGeometry {
  const turns = 8;
  const tall = 14; // Built at a usual ratio of length to radius, so that the wire stays round.
  class Helix extends Curve<Vector3> {
    constructor() {
      super();
    }
    override getPoint(u: number, out = new Vector3()): Vector3 {
      const v = Math.min(Math.max((u - 0.08) / 0.84, 0), 1);
      const r = Math.min(1, 8 * Math.min(v, 1 - v) + (v <= 0 || v >= 1 ? 0 : 0.02));
      return out.set(r * Math.cos(2 * Math.PI * turns * v), r * Math.sin(2 * Math.PI * turns * v), tall * u);
    }
  }
  return new TubeGeometry(new Helix(), turns * 24, 0.13, 6).scale(1, 1, 1 / tall);
}
