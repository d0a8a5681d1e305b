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

const spoiled = (change: (payload: any) => void, of: () => object = make.doublePendulum): object => {
  const payload = structuredClone(of());
  change(payload);
  return payload;
};

test.each<[string, (payload: any) => void, RegExp]>([
  ["format", (p) => (p.format = "x"), /not Poinsot/],
  ["newer version", (p) => (p.version = 2), /version 2/],
  ["no runs", (p) => (p.runs = []), /no run/],
])("what makes the whole unreadable is an error: %s", async (_, change, message) => {
  const error = await read(spoiled(change)).then(() => null, (reason: unknown) => reason);
  expect(error).toBeInstanceOf(PayloadError);
  expect((error as PayloadError).message).toMatch(message);
  expect((error as PayloadError).remedy.length).toBeGreaterThan(10);
});

/** A digit of base64 in the middle of a block becomes another one. */
const flip = (block: { data: string }): void => {
  const i = block.data.length >> 1;
  block.data = block.data.slice(0, i) + (block.data[i] === "A" ? "B" : "A") + block.data.slice(i + 1);
};

type Left = ("scene" | "frames" | "reactions" | "signals" | "energy")[];
test.each<[string, (run: any) => void, RegExp, Left]>([
  ["short poses", (r) => (r.frames.poses.data = r.frames.poses.data.slice(0, 4000)), /^the scene and its motion: .*poses: the block holds 3000 bytes/, ["scene", "signals", "energy"]],
  ["flipped pose", (r) => flip(r.frames.poses), /poses: the numbers are not those that were written/, ["scene", "signals", "energy"]],
  ["foreign character", (r) => (r.frames.axis.data = r.frames.axis.data.replace(/^./, "*")), /axis: the base64 text holds characters/, ["scene", "signals", "energy"]],
  ["flipped reaction", (r) => flip(r.frames.reactions), /^the reactions: .*checksum/, ["scene", "frames", "signals", "energy"]],
  ["flipped signal", (r) => flip(r.signals.values), /^the signals: .*checksum/, ["scene", "frames", "reactions", "energy"]],
  ["flipped energy", (r) => flip(r.energy.values), /^the energies: .*checksum/, ["scene", "frames", "reactions", "signals"]],
  ["bodies do not fit", (r) => r.scene.bodies.pop(), /^the scene: .*index 1 is out of range/, ["signals", "energy"]],
  ["joint to nowhere", (r) => (r.scene.joints[0].ends[1].body = 9), /joints\[0\].*index 9 is out of range/, ["signals", "energy"]],
  ["one end", (r) => r.scene.joints[0].ends.pop(), /two ends/, ["signals", "energy"]],
  ["size of a box", (r) => (r.scene.bodies[0].shapes = [{ type: "box", size: [1] }]), /^a shape of “upper”: .*size: expected 3 numbers/, ["scene", "frames", "reactions", "signals", "energy"]],
  ["mesh index", (r) => (r.scene.bodies[0].shapes = [{ type: "mesh", vertices: make.block([1, 3], [0, 0, 0]), triangles: make.block([1, 3], [0, 0, 5], "u32") }]), /index 5 is out of range/, ["scene", "frames", "reactions", "signals", "energy"]],
  ["list of signals", (r) => r.signals.list.pop(), /signals.values.*expected 5 × 801/, ["scene", "frames", "reactions", "energy"]],
  ["no frame", (r) => (r.frames.axis = make.block([0], [])), /no frame/, ["scene", "signals", "energy"]],
])("a damaged part takes with it only what needs it: %s", async (_, change, message, left) => {
  const { runs: [run] } = await read(spoiled((p) => change(p.runs[0])));
  expect(run!.damage).toHaveLength(1);
  expect(run!.damage[0]).toMatch(message);
  const there: Left = [];
  if (run!.scene) there.push("scene");
  if (run!.frames) there.push("frames");
  if (run!.frames?.reactions) there.push("reactions");
  if (run!.signals) there.push("signals");
  if (run!.energy) there.push("energy");
  expect(there).toEqual(left);
  expect(run!.source!.text).toContain("[[body]]");
});

test("a run that is no run leaves the others", async () => {
  const { runs } = await read(spoiled((p) => (p.runs[0] = 7), make.comparison));
  expect(runs[0]).toMatchObject({ status: "failed", scene: null, damage: [expect.stringMatching(/the whole run/)] });
  expect(runs[1]!.frames!.count).toBe(801);
});

test("beam elements and modes are checked against the scene", async () => {
  const beam = (await read(spoiled((p) => (p.runs[0].scene.beams[0].first = 3), make.bendingBeam))).runs[0]!;
  expect(beam.damage[0]).toMatch(/stress resultants of beams and plates: .*out of range/);
  expect(beam.frames!.resultants).toBeUndefined();
  expect(beam.frames!.loads).toBeDefined();
  const nodes = (await read(spoiled((p) => (p.runs[0].scene.beams[0].order = 3), make.bendingBeam))).runs[0]!;
  expect(nodes.damage[0]).toMatch(/do not fit/);
  const modes = (await read(spoiled((p) => p.runs[0].modes[0].bodies.pop(), make.modes))).runs[0]!;
  expect(modes.damage[0]).toMatch(/mode 1: .*moves 8 bodies/);
  expect(modes.modes.map(({ number }) => number)).toEqual([2, 3, 4, 5, 6]);
});

test("shapes about several frames, with their own words, and drawings of the study", async () => {
  const payload = make.modes() as any;
  const run = payload.runs[0];
  const poses = Buffer.from(run.frames.poses.data, "base64");
  run.frames = { axis: make.block([2], [0, 100]), poses: { ...run.frames.poses, crc: undefined, shape: [2, 9, 7], data: Buffer.concat([poses, poses]).toString("base64") } };
  Object.assign(run.modes[1], { frame: 1, name: "mode 2 at Omega = 100", details: [["Omega", "100 rad/s"], ["whirl", "forward"]] });
  Object.assign(run, { plots: [{ names: ["a"] }], diagrams: [{ file: "campbell.svg", title: "Campbell diagram", svg: "<svg/>" }] });
  const { runs: [read1] } = await read(payload);
  expect(read1!.modes[0]).toMatchObject({ frame: 0, details: [] });
  expect(read1!.modes[1]).toMatchObject({ frame: 1, name: "mode 2 at Omega = 100", details: [["Omega", "100 rad/s"], ["whirl", "forward"]] });
  expect(read1!.plots).toEqual([{ names: ["a"], x: "" }]);
  expect(read1!.diagrams).toEqual([{ file: "campbell.svg", title: "Campbell diagram", svg: "<svg/>" }]);
  run.modes[1].frame = 2;
  expect((await read(payload)).runs[0]!.damage[0]).toMatch(/mode 2: .*frame: index 2 is out of range, there are 2/);
});
