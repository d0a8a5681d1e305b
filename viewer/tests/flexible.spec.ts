import { MeshLambertMaterial } from "three";
import { expect, test } from "vitest";
import type { Frames, Mode, Scene } from "../src/data";
import { deformByMode, FlexibleBodies, interpolateAmplitudes } from "../src/flexible";
import { poseMatrices } from "../src/poses";

const scene = {
  flexible: [{
    name: "plate", frame: 0, first: 1, shapes: 2, triangles: [0, 1, 2],
    vertices: [0, 0, 0, 1, 0, 0, 0, 1, 0],
    displacements: [0, 0, 0, 0, 0, 1, 0, 0, 0, /* second shape */ 1, 0, 0, 0, 0, 0, 0, 0, 0],
    // Two sides: tension in the first shape at the first vertex above, shear in the second shape at the last one below.
    stresses: Array.from({ length: 72 }, (_, i) => (i === 0 ? 8 : i === 36 + 18 + 12 + 5 ? 4 : 0)),
  }],
} as unknown as Scene;
const frames = { count: 2, shapes: 3, amplitudes: [9, 0, 0, 9, 0.5, 0.25] } as unknown as Frames;

test("shapes move vertices in the axes of their frame", () => {
  const bodies = new FlexibleBodies(scene, frames, new MeshLambertMaterial());
  const poses = Float64Array.from([0, 0, 5, Math.SQRT1_2, 0, 0, Math.SQRT1_2]); // a quarter turn about x
  const matrices = new Float64Array(16), amplitudes = new Float64Array(3);
  poseMatrices(poses, 1, matrices);
  interpolateAmplitudes(frames.amplitudes, 1, 0, amplitudes);
  bodies.update({ poses, matrices, amplitudes, frame: 1, fraction: 0 });
  const at = [...bodies.meshes[0]!.mesh.geometry.getAttribute("position").array];
  [0.25, 0, 5, 1, -0.5, 5, 0, 0, 6].forEach((x, i) => expect(at[i]).toBeCloseTo(x, 6));
  expect(bodies.largest("displacement")).toBeCloseTo(0.5, 6);
  bodies.scale = 10;
  bodies.update({ poses, matrices, amplitudes, frame: 1, fraction: 0 });
  expect(bodies.meshes[0]!.mesh.geometry.getAttribute("position").array[4]).toBeCloseTo(-5, 6);
});

test("the equivalent stress of the larger side is painted", () => {
  const bodies = new FlexibleBodies(scene, frames, new MeshLambertMaterial());
  const values = bodies.meshes[0]!.field("von_mises", frames.amplitudes!, 3);
  [8 * 0.5, 0, Math.sqrt(3) * 4 * 0.25].forEach((x, i) => expect(values[i]).toBeCloseTo(x, 9));
  expect(bodies.largest("von_mises")).toBeCloseTo(4, 9);
});

test("amplitudes go linearly between frames, and with a mode", () => {
  const out = new Float64Array(3);
  interpolateAmplitudes(frames.amplitudes, 0, 0.5, out);
  expect([...out]).toEqual([9, 0.25, 0.125]);
  const mode = { amplitudes: [{ re: 0, im: 0 }, { re: 1, im: 0 }, { re: 0, im: 1 }] } as Mode;
  deformByMode(mode, Math.PI / 2, 2, out);
  expect(out[1]).toBeCloseTo(0.25, 12);
  expect(out[2]).toBeCloseTo(0.125 - 2, 12);
});
