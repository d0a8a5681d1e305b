import { expect, test } from "vitest";
import { worst } from "../src/audit";
import { Rig } from "../src/camera";
import { tracePath } from "../src/curvepath";
import { type Check, readPayload, type Run } from "../src/data";
import { allPlots, curves, defaultPlots, difference, padded, rangeWithin } from "../src/signals";
import { rateText } from "../src/timeline";
import { formatNumber } from "../src/dom";
import * as make from "./payloads";

const runs = async (payload: object): Promise<{ run: Run; index: number }[]> => (await readPayload(payload, async () => new ArrayBuffer(0))).runs.map((run, index) => ({ run, index }));

test("first plots group by unit; a load path has the load upwards", async () => {
  const [pendulum] = await runs(make.doublePendulum());
  expect(defaultPlots(pendulum!.run).map(({ names }) => names)).toEqual([["upper.angle", "lower.angle"], ["upper.rate", "lower.rate"], ["tip.x", "tip.z"]]);
  const [path] = await runs(make.loadPath());
  expect(defaultPlots(path!.run)[0]).toEqual({ kind: "phase", names: [""], x: "apex.w" });
});

test("all signals can be drawn, each once, in plots of one unit", async () => {
  const [many] = await runs(make.manySignals());
  expect(defaultPlots(many!.run).flatMap(({ names }) => names)).toHaveLength(12);
  const plots = allPlots(many!.run), units = new Map(many!.run.signals!.list.map(({ name, unit }) => [name, unit]));
  expect(plots.flatMap(({ names }) => names).sort()).toEqual(many!.run.signals!.list.map(({ name }) => name).sort());
  expect(plots.map(({ names }) => names.length)).toEqual([5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5]);
  for (const { names } of plots) expect(new Set(names.map((name) => units.get(name))).size).toBe(1);
});

test("one state has values and no curves", async () => {
  const [rods] = await runs(make.equilibrium());
  expect(defaultPlots(rods!.run)).toEqual([]);
});

test("a signal with a gap is shown, in two parts", async () => {
  const [pendulum] = await runs(make.doublePendulum());
  const { run } = pendulum!;
  run.signals!.list.forEach(({ values }) => (values[7] = NaN));
  expect(defaultPlots(run).map(({ names }) => names)).toEqual([["upper.angle", "lower.angle"], ["upper.rate", "lower.rate"], ["tip.x", "tip.z"]]);
  const [curve] = curves({ kind: "signals", names: ["tip.x"], x: "" }, [pendulum!]);
  let moves = 0;
  tracePath({ moveTo: () => void moves++, lineTo: () => {} }, curve!.xs, curve!.ys, true, (x) => 500 * x, (y) => y, curve!.breaks);
  expect(moves).toBe(2);
});

test("the program may choose the first plots; branches of a path do not join", async () => {
  const [path] = await runs(make.loadPath());
  const { run } = path!;
  run.plots = [{ names: ["", "apex.w"], x: "" }, { names: [""], x: "apex.w" }];
  expect(defaultPlots(run)).toEqual([{ kind: "signals", names: ["", "apex.w"], x: "" }, { kind: "phase", names: [""], x: "apex.w" }]);
  const n = run.signals!.axis.length;
  run.signals!.list.push({ name: "branch", unit: "", description: "", values: Float64Array.from({ length: n }, (_, i) => (i < 70 ? 1 : 2)) });
  const [curve] = curves({ kind: "phase", names: [""], x: "apex.w" }, [path!]);
  expect([...curve!.breaks]).toEqual([70]);
  let moves = 0;
  tracePath({ moveTo: () => void moves++, lineTo: () => {} }, curve!.xs, curve!.ys, false, (x) => 500 * x, (y) => y, curve!.breaks);
  expect(moves).toBe(2);
});

test("runs overlay by name; phase portraits and energy are curves, too", async () => {
  const both = await runs(make.comparison());
  expect(curves({ kind: "signals", names: ["tip.x", "none"], x: "" }, both).map(({ run, ys }) => [run, ys.length])).toEqual([[0, 401], [1, 801]]);
  const [phase] = curves({ kind: "phase", names: ["upper.rate"], x: "upper.angle" }, both);
  expect(phase!.xs).toBe(both[0]!.run.signals!.list[0]!.values);
  expect(curves({ kind: "energy", names: [], x: "" }, both.slice(0, 1)).map(({ label, unit }) => `${label} ${unit}`)).toContain("imbalance J, imbalance");
  expect(curves({ kind: "difference", names: ["tip.x"], x: "" }, both)).toHaveLength(1);
});

test("difference interpolates and leaves out what has no partner", () => {
  expect([...difference(Float64Array.of(0, 1, 2, 5), Float64Array.of(0, 0, 0, 0), Float64Array.of(0, 2, 4), Float64Array.of(0, 4, 8))]).toEqual([0, 2, 4, NaN]);
});

test("ranges skip what is not finite and give constants room", () => {
  expect(rangeWithin(Float64Array.of(0, 1, 2, 3), Float64Array.of(5, NaN, -1, 9), 0, 2)).toEqual([-1, 5]);
  expect(padded([2, 2], 0.1)).toEqual([1.8, 2.2]);
  expect(padded([0, 0], 0.1)).toEqual([-1, 1]);
  expect(padded([Infinity, -Infinity], 0.1)).toEqual([0, 1]);
});

test("a dense curve keeps its peaks and breaks at gaps", () => {
  const n = 100_000, xs = Float64Array.from({ length: n }, (_, i) => i / n), ys = Float64Array.from({ length: n }, (_, i) => (i === 54_321 ? 1000 : Math.sin(i)));
  const points: number[] = [];
  let moves = 0;
  const pen = { moveTo: () => void moves++, lineTo: (_: number, y: number) => void points.push(y) };
  tracePath(pen, xs, ys, true, (x) => 500 * x, (y) => y);
  expect(Math.max(...points)).toBe(1000);
  expect(points.length).toBeLessThan(3500);
  ys[10] = NaN;
  moves = 0;
  tracePath(pen, xs, ys, true, (x) => 500 * x, (y) => y);
  expect(moves).toBe(2);
});

test("the worst state leads", () => {
  const checks = (...states: string[]): Check[] => states.map((state) => ({ state }) as Check);
  expect(worst(checks("good", "good", "note"))).toEqual({ state: "good", text: "2 checks good" });
  expect(worst(checks("good", "doubtful"))).toEqual({ state: "doubtful", text: "1 doubtful" });
  expect(worst(checks("bad", "doubtful", "bad"))).toEqual({ state: "bad", text: "2 bad" });
  expect(worst([])).toBeNull();
});

test("numbers and rates in words", () => {
  expect([0, 1, -2.5, 1234.567, 1e-7, 3e8, NaN].map((x) => formatNumber(x))).toEqual(["0", "1", "−2.5", "1235", "1e−7", "3e8", "–"]);
  expect([rateText(1, "s"), rateText(0.05, "s"), rateText(20, "s"), rateText(50, "N")]).toEqual(["real time", "20× slower", "20× faster", "50 N per s"]);
});

test.each([[[0, 0, 1], false], [[0, 1, 0], true], [[1, 0, 0], false], [[0.3, -0.2, 0.9], false]])("up %j: fit holds all points", (up, parallel) => {
  const points = Float64Array.from({ length: 300 }, (_, i) => Math.sin(12.9898 * i) * (1 + (i % 3)) + 2);
  const rig = new Rig(up as [number, number, number]);
  rig.orthographic = parallel as boolean;
  for (const view of ["front", "top", "left", "oblique"] as const) {
    rig.look(view);
    rig.fit(points, 1.6);
    const camera = rig.camera(1.6);
    let reach = 0;
    for (let i = 0; i < points.length; i += 3) {
      const p = rig.target.clone().set(points[i]!, points[i + 1]!, points[i + 2]!).project(camera);
      reach = Math.max(reach, Math.abs(p.x), Math.abs(p.y));
      expect(Math.abs(p.z)).toBeLessThan(1);
    }
    expect(reach).toBeLessThan(0.9);
    expect(reach).toBeGreaterThan(0.75);
  }
});
