import { expect, test } from "vitest";
import type { Body, Run } from "../src/data";
import { allBodies, difference, shortNames, unmatched } from "../src/matching";

const run = (name: string, ...bodies: string[]): Run => ({ name, scene: { bodies: bodies.map((body) => ({ name: body }) as Body) } }) as unknown as Run;
const a = run("a", "crank", "rod", "piston"), b = run("b", "flywheel", "crank", "piston");

test("bodies belong together by name, in whatever order", () => {
  expect(allBodies([a, b])).toEqual(["crank", "rod", "piston", "flywheel"]);
  expect(unmatched([a, b])).toEqual([{ name: "rod", in: [true, false] }, { name: "flywheel", in: [false, true] }]);
  expect(unmatched([a, run("c", "piston", "rod", "crank")])).toEqual([]);
  expect(unmatched([])).toEqual([]);
});

test("nodes of beams are no bodies", () => {
  const beam = run("beam", "mast");
  beam.scene!.bodies.push({ name: "rod.node0", kind: "node" } as Body);
  expect(allBodies([beam])).toEqual(["mast"]);
  expect(unmatched([beam, run("other", "mast")])).toEqual([]);
});

test("the difference is said in a few words", () => {
  expect(difference(b, a)).toBe("only here: flywheel · not here: rod");
  expect(difference(a, a)).toBe("");
  expect(difference(run("c", ..."abcdef"), run("d"))).toBe("only here: a, b, c and 3 more");
});

test("runs of one model are told apart by their folders where there is little room", () => {
  expect(shortNames([{ name: "Top (a)" }, { name: "Top (b)" }])).toEqual(["a", "b"]);
  expect(shortNames([{ name: "Top (a)" }, { name: "Wheel (b)" }])).toEqual(["Top (a)", "Wheel (b)"]);
  expect(shortNames([{ name: "Top (a)" }])).toEqual(["Top (a)"]);
});
