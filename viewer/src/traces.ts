/** Paths of chosen points through all frames: computed once, then only the drawn length changes. */
import { Group } from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { Frames, Vec3 } from "./data";
import { type Instant, place } from "./poses";

interface Trace { body: number; past: Line2; whole: Line2 }

export class Traces {
  readonly object = new Group();
  private traces: Trace[] = [];

  constructor(private readonly frames: Frames, private readonly bodies: number) {}

  get traced(): number[] {
    return this.traces.map(({ body }) => body);
  }

  add(body: number, at: Vec3, color: string): void {
    if (this.frames.count < 2) return;
    const { count, poses } = this.frames;
    const points = new Float32Array(count * 3);
    const out = new Float64Array(3);
    for (let f = 0; f < count; f++) {
      place(poses, body, at, out, f * this.bodies * 7);
      points.set(out, 3 * f);
    }
    const line = (opacity: number, width: number): Line2 => {
      const material = new LineMaterial({ linewidth: width, transparent: true, opacity });
      material.color.set(color);
      const made = new Line2(new LineGeometry().setPositions(points), material);
      made.frustumCulled = false;
      return made;
    };
    const trace = { body, whole: line(0.3, 1.2), past: line(1, 2) };
    // Both run along the same points; the past must win without a fight over depth.
    trace.whole.material.depthWrite = false;
    trace.past.renderOrder = 1;
    this.traces.push(trace);
    this.object.add(trace.whole, trace.past);
  }

  remove(body: number): void {
    for (const trace of this.traces.filter((item) => item.body === body)) {
      for (const line of [trace.past, trace.whole]) {
        this.object.remove(line);
        line.geometry.dispose();
        line.material.dispose();
      }
    }
    this.traces = this.traces.filter((item) => item.body !== body);
  }

  update({ frame }: Instant): void {
    for (const { past } of this.traces) (past.geometry as LineGeometry).instanceCount = frame;
  }
}
