/** The deformed line of a beam between its nodes: smooth also when the mesh is coarse. */
import type { Beam } from "./data";
import { rotate, slerp } from "./poses";

/** Samples along a beam: enough for a smooth curve, not more for a fine mesh. */
export const samplesPerElement = (beam: Beam): number => Math.max(beam.order, Math.min(16, Math.ceil(64 / beam.elements)));

export class BeamLine {
  /** Pose (x y z qx qy qz qw) of every sample, in order. */
  readonly samples: Float64Array;
  readonly count: number;
  /** Place of every sample counted in elements, 0…elements. */
  readonly station: Float64Array;
  private readonly perElement: number;
  private readonly signs: Float64Array;
  /** Where the nodes of an element are, 0…1. */
  private readonly places: number[];
  private readonly tangentA = new Float64Array(3);
  private readonly tangentB = new Float64Array(3);

  constructor(private readonly beam: Beam, reference: ArrayLike<number>) {
    this.perElement = samplesPerElement(beam);
    this.places = lobatto(beam.order);
    this.count = beam.elements * this.perElement + 1;
    this.samples = new Float64Array(this.count * 7);
    this.station = Float64Array.from({ length: this.count }, (_, i) => i / this.perElement);
    // Axis 3 may point against the order of the nodes; the chord of the first frame tells.
    this.signs = Float64Array.from({ length: beam.elements }, (_, e) => {
      const a = beam.nodes[e * beam.order]! * 7, b = beam.nodes[(e + 1) * beam.order]! * 7;
      rotate(reference, a + 3, [0, 0, 1], this.tangentA);
      let dot = 0;
      for (let k = 0; k < 3; k++) dot += this.tangentA[k]! * (reference[b + k]! - reference[a + k]!);
      return dot < 0 ? -1 : 1;
    });
  }

  update(poses: ArrayLike<number>): void {
    const { nodes, order, elements } = this.beam;
    for (let e = 0; e < elements; e++) {
      const count = e === elements - 1 ? this.perElement + 1 : this.perElement;
      for (let i = 0; i < count; i++) {
        const out = (e * this.perElement + i) * 7;
        const s = i / this.perElement;
        let left = 0;
        while (left < order - 1 && this.places[left + 1]! <= s) left++;
        const share = (s - this.places[left]!) / (this.places[left + 1]! - this.places[left]!);
        const a = nodes[e * order + left]! * 7, b = nodes[e * order + left + 1]! * 7;
        if (order === 1) this.hermite(poses, a, b, s, this.signs[e]!, out);
        else this.lagrange(poses, e * order, s, out);
        slerp(poses, a + 3, poses, b + 3, share, this.samples, out + 3);
      }
    }
  }

  /** Cubic through two nodes, leaving each along its section normal. */
  private hermite(poses: ArrayLike<number>, a: number, b: number, u: number, sign: number, out: number): void {
    const chord = sign * Math.hypot(poses[b]! - poses[a]!, poses[b + 1]! - poses[a + 1]!, poses[b + 2]! - poses[a + 2]!);
    rotate(poses, a + 3, Z, this.tangentA);
    rotate(poses, b + 3, Z, this.tangentB);
    const v = 1 - u;
    const h0 = v * v * (1 + 2 * u), h1 = u * u * (1 + 2 * v), g0 = chord * u * v * v, g1 = -chord * u * u * v;
    for (let k = 0; k < 3; k++) this.samples[out + k] = h0 * poses[a + k]! + h1 * poses[b + k]! + g0 * this.tangentA[k]! + g1 * this.tangentB[k]!;
  }

  /** The element's own polynomial through its nodes. */
  private lagrange(poses: ArrayLike<number>, first: number, s: number, out: number): void {
    const { nodes, order } = this.beam, { places } = this;
    this.samples[out] = this.samples[out + 1] = this.samples[out + 2] = 0;
    for (let i = 0; i <= order; i++) {
      let weight = 1;
      for (let j = 0; j <= order; j++) if (j !== i) weight *= (s - places[j]!) / (places[i]! - places[j]!);
      const node = nodes[first + i]! * 7;
      for (let k = 0; k < 3; k++) this.samples[out + k]! += weight * poses[node + k]!;
    }
  }
}

const Z = [0, 0, 1];

/** A value per element, read at a station: linear between the middles of the elements, held at the ends. */
export function elementValue(value: (element: number) => number, elements: number, station: number): number {
  const x = Math.min(Math.max(station - 0.5, 0), elements - 1);
  const e = Math.min(Math.floor(x), Math.max(elements - 2, 0));
  if (elements === 1) return value(0);
  return value(e) + (x - e) * (value(e + 1) - value(e));
}

/** Gauss–Lobatto points on 0…1: the ends and the extrema of the Legendre polynomial P of this degree. */
export function lobatto(degree: number): number[] {
  return Array.from({ length: degree + 1 }, (_, k) => {
    if (k === 0 || k === degree) return k === 0 ? 0 : 1;
    let x = -Math.cos((Math.PI * k) / degree);
    for (let i = 0; i < 30; i++) {
      let [before, now] = [1, x];
      for (let n = 1; n < degree; n++) [before, now] = [now, ((2 * n + 1) * x * now - n * before) / (n + 1)];
      // Newton on (1 - x^2) P', whose slope is -degree (degree + 1) P.
      x -= (degree * (before - x * now)) / (-degree * (degree + 1) * now);
    }
    return (1 + x) / 2;
  });
}
