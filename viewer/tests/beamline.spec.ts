import { expect, test } from "vitest";
import { BeamLine, elementValue, lobatto } from "../src/beamline";
import type { Beam } from "../src/data";

const turnY = (angle: number): number[] => [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
/** Nodes on a circle of radius one, section normal along the tangent. */
const arc = (nodes: number, total: number, order = 1): Float64Array => Float64Array.from(Array.from({ length: nodes }, (_, i) => {
  const element = Math.floor(i / order), place = lobatto(order)[i % order]!;
  const a = (total * (element + place) * order) / (nodes - 1);
  return [Math.sin(a), 0, 1 - Math.cos(a), ...turnY(Math.PI / 2 - a)];
}).flat());
const beam = (nodes: number, order: number): Beam => ({ name: "b", nodes: Array.from({ length: nodes }, (_, i) => i), order, elements: (nodes - 1) / order, first: 0, outline: [] });

const worstRadius = (line: BeamLine): number => {
  let worst = 0;
  for (let i = 0; i < line.count; i++) worst = Math.max(worst, Math.abs(Math.hypot(line.samples[7 * i]!, line.samples[7 * i + 2]! - 1) - 1));
  return worst;
};

test.each([[1, 3, 0.012], [1, 5, 1e-3], [2, 5, 0.006], [3, 4, 0.0035]])("order %i with %i nodes follows a quarter circle to %f", (order, nodes, limit) => {
  const poses = arc(nodes, Math.PI / 2, order);
  const line = new BeamLine(beam(nodes, order), poses);
  line.update(poses);
  expect(worstRadius(line)).toBeLessThan(limit);
});

test("passes through its nodes with their axes, also when axis 3 points backwards", () => {
  for (const flip of [false, true]) {
    const poses = arc(4, 1.2);
    if (flip) for (let i = 0; i < 4; i++) poses.set(turnY(-Math.PI / 2 - (1.2 * i) / 3), 7 * i + 3);
    const line = new BeamLine(beam(4, 1), poses);
    line.update(poses);
    expect(worstRadius(line)).toBeLessThan(1e-3);
    const per = (line.count - 1) / 3;
    for (let i = 0; i < 4; i++) for (let k = 0; k < 3; k++) expect(line.samples[7 * i * per + k]).toBeCloseTo(poses[7 * i + k]!, 12);
  }
});

test("element values are linear between the middles and held at the ends", () => {
  const values = [1, 3, 7];
  const at = (s: number): number => elementValue((e) => values[e]!, 3, s);
  expect([0, 0.5, 1, 1.5, 2, 2.5, 3].map(at)).toEqual([1, 1, 2, 3, 5, 7, 7]);
  expect(elementValue(() => 4, 1, 0.9)).toBe(4);
});

test("Gauss–Lobatto points are those of the tables", () => {
  const inner = lobatto(4).map((x) => 2 * x - 1);
  [-1, -Math.sqrt(3 / 7), 0, Math.sqrt(3 / 7), 1].forEach((x, k) => expect(inner[k]).toBeCloseTo(x, 14));
  expect(2 * lobatto(3)[1]! - 1).toBeCloseTo(-Math.sqrt(1 / 5), 14);
  expect(lobatto(1)).toEqual([0, 1]);
});
