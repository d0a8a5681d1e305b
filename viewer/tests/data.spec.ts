import { expect, test } from "vitest";
import { PayloadError } from "../src/blocks";
import { readPayload } from "../src/data";
import * as make from "./payloads";

const none = async (): Promise<ArrayBuffer> => new ArrayBuffer(0);
const read = (value: unknown): ReturnType<typeof readPayload> => readPayload(JSON.parse(JSON.stringify(value)), none);

test.each(Object.entries({ pendulum: make.doublePendulum, crank: make.crankSlider, beam: make.bendingBeam, modes: make.modes, path: make.loadPath, comparison: make.comparison }))("reads %s", async (_, payload) => {
  const { runs } = await read(payload());
  for (const run of runs) {
    expect(run.scene!.bodies.length).toBeGreaterThan(0);
    expect(run.frames!.poses.length).toBe(run.frames!.count * run.scene!.bodies.length * 7);
  }
});

test("optional parts may be missing and unknown ones are passed over", async () => {
  const { runs: [run] } = await read({ format: "poinsot-report", version: 1, novelty: 3, runs: [{ name: "a", scene: null, frames: null, signals: null, extra: {} }] });
  expect(run).toMatchObject({ name: "a", study: "motion", status: "completed", checks: [], modes: [], scene: null, frames: null, signals: null, axis: { name: "t", unit: "s" } });
});

test("an unknown shape leaves the others", async () => {
  const payload = make.doublePendulum() as any;
  payload.runs[0].scene.bodies[0].shapes = [{ type: "torus" }, { type: "sphere", radius: 1 }];
  expect((await read(payload)).runs[0]!.scene!.bodies[0]!.shapes.map(({ type }) => type)).toEqual(["sphere"]);
});

const spoil: [string, (payload: any) => void, RegExp][] = [
  ["format", (p) => (p.format = "x"), /not Poinsot/],
  ["newer version", (p) => (p.version = 2), /version 2/],
  ["no runs", (p) => (p.runs = []), /no run/],
  ["short poses", (p) => (p.runs[0].frames.poses.data = p.runs[0].frames.poses.data.slice(0, 4000)), /poses: the block holds 3000 bytes/],
  ["bodies do not fit", (p) => p.runs[0].scene.bodies.pop(), /index 1 is out of range|expected 801 × 1 × 7/],
  ["joint to nowhere", (p) => (p.runs[0].scene.joints[0].ends[1].body = 9), /joints\[0\].*index 9 is out of range/],
  ["one end", (p) => p.runs[0].scene.joints[0].ends.pop(), /two ends/],
  ["size of a box", (p) => (p.runs[0].scene.bodies[0].shapes[0].size = [1]), /size: expected 3 numbers/],
  ["mesh index", (p) => (p.runs[0].scene.bodies[0].shapes = [{ type: "mesh", vertices: make.block([1, 3], [0, 0, 0]), triangles: make.block([1, 3], [0, 0, 5], "u32") }]), /index 5 is out of range/],
  ["signals", (p) => p.runs[0].signals.list.pop(), /signals.values.*expected 5 × 801/],
  ["no frame", (p) => (p.runs[0].frames.axis = make.block([0], [])), /no frame/],
];
test.each(spoil)("says what is wrong: %s", async (_, change, message) => {
  const payload = structuredClone(make.doublePendulum());
  change(payload);
  const error = await read(payload).then(() => null, (reason: unknown) => reason);
  expect(error).toBeInstanceOf(PayloadError);
  expect((error as PayloadError).message).toMatch(message);
  expect((error as PayloadError).remedy.length).toBeGreaterThan(10);
});

test("beam elements and modes are checked against the scene", async () => {
  const beam = make.bendingBeam() as any;
  beam.runs[0].scene.beams[0].first = 3;
  await expect(read(beam)).rejects.toThrow(/out of range/);
  const nodes = make.bendingBeam() as any;
  nodes.runs[0].scene.beams[0].order = 3;
  await expect(read(nodes)).rejects.toThrow(/do not fit/);
  const modes = make.modes() as any;
  modes.runs[0].modes[0].bodies.pop();
  await expect(read(modes)).rejects.toThrow(/moves 8 bodies/);
});
