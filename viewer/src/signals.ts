/** Signals of runs as curves: defaults, overlays and differences. */
import type { Numbers } from "./blocks";
import type { Run, Signal } from "./data";
import { Track } from "./track";

export interface PlotSpec { kind: "signals" | "phase" | "energy" | "difference"; names: string[]; x: string }

export interface Curve {
  label: string; run: number; signal: number; unit: string;
  xs: Numbers; ys: Numbers;
  /** Where on the curve a position of the timeline lies. */
  track: Track;
  /** Indices at which a new part begins: the branches of a path do not join. */
  breaks: ReadonlySet<number>;
}

/** Where the branch of a path changes. */
function breaksOf(run: Run): ReadonlySet<number> {
  const branch = run.study === "path" ? run.signals?.list.find(({ name }) => name === "branch")?.values : undefined;
  const found = new Set<number>();
  if (branch) for (let i = 1; i < branch.length; i++) if (branch[i] !== branch[i - 1]) found.add(i);
  return found;
}

/** The imbalance of the energy is far smaller than the energies and has an axis of its own. */
export const IMBALANCE = "J, imbalance";

/** The name that stands for the axis itself (time, load) when a plot asks for x or y. */
export const AXIS = "";

export const find = (run: Run, name: string): Signal | undefined => run.signals?.list.find((signal) => signal.name === name);

/** What the program itself writes about the points of a path. */
export const PATH_COLUMNS = ["branch", "arc_length", "unstable_directions"];

/** Whether a signal changes by more than rounding: what rests tells little. */
function varies({ values }: Signal): boolean {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    // A signal without a value somewhere has a gap there.
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return high - low > 1e-6 * Math.max(Math.abs(low), Math.abs(high)) && high - low > 1e-12;
}

/** Names of signals by unit, in the order of the list. */
function byUnit(list: Signal[]): string[][] {
  const units = new Map<string, string[]>();
  for (const { name, unit } of list) {
    if (!units.has(unit)) units.set(unit, []);
    units.get(unit)!.push(name);
  }
  return [...units.values()];
}

/** Plots of all signals: a unit has as many as it takes, of at most six curves and about equally many. */
export function allPlots(run: Run): PlotSpec[] {
  return byUnit(run.signals?.list ?? []).flatMap((names) => {
    const parts = Math.ceil(names.length / CURVES);
    return Array.from({ length: parts }, (_, k): PlotSpec => ({
      kind: "signals", names: names.slice(Math.round((k * names.length) / parts), Math.round(((k + 1) * names.length) / parts)), x: AXIS,
    }));
  });
}

/** Most curves in a plot of all signals: more cannot be told apart. */
const CURVES = 6;

/** First signals by unit that change: at most three plots of four, which fill a screen and not more. */
export function defaultPlots(run: Run): PlotSpec[] {
  const list = run.signals?.list ?? [];
  if (run.plots.length > 0) return run.plots.map(({ names, x }) => ({ kind: x === AXIS ? "signals" : "phase", names: [...names], x }));
  if (run.study === "path" && list.length > 0) {
    // A load path is read with the load upwards, over what the model measures.
    const measured = list.filter(({ name }) => !PATH_COLUMNS.includes(name) && name !== run.axis.name);
    return (measured.length > 0 ? measured : list).slice(0, 2).map((signal) => ({ kind: "phase", names: [AXIS], x: signal.name }));
  }
  // One state has values, not curves.
  if (list.length > 0 && run.signals!.axis.length < 2) return [];
  const moving = list.filter(varies);
  const units = byUnit(moving.length > 0 ? moving : list);
  const plots: PlotSpec[] = units.slice(0, 3).map((names) => ({ kind: "signals", names: names.slice(0, 4), x: AXIS }));
  if (run.energy && plots.length < 3) plots.push({ kind: "energy", names: [], x: AXIS });
  return plots;
}

const tracks = new WeakMap<Numbers, Track>();
/** The track of an axis, made once; comparing all its points each time would be waste. */
export function trackOf(axis: Numbers): Track {
  if (!tracks.has(axis)) tracks.set(axis, new Track(axis));
  return tracks.get(axis)!;
}

/** b − a at the points of a, where b is interpolated; outside the range of b there is no difference. */
export function difference(axisA: Numbers, a: Numbers, axisB: Numbers, b: Numbers): Float64Array {
  const from = trackOf(axisA), to = trackOf(axisB);
  const out = new Float64Array(a.length);
  for (let i = 0; i < a.length; i++) {
    const position = to.follow(from, from.byValue ? axisA[i]! : i);
    out[i] = position < to.start || position > to.end ? NaN : to.sample(b, position) - a[i]!;
  }
  return out;
}

const row = (run: Run, name: string): { values: Numbers; unit: string } | undefined => {
  if (name === AXIS) return run.signals ? { values: run.signals.axis, unit: run.axis.unit } : undefined;
  const signal = find(run, name);
  return signal && { values: signal.values, unit: signal.unit };
};

const partedRows = new WeakMap<Numbers, Numbers>();
/** A row with a gap where another branch of a path begins, so that no line leads from one to the other. */
function parted(values: Numbers, branch: Numbers | undefined): Numbers {
  if (!branch || branch.every((number) => number === branch[0])) return values;
  if (!partedRows.has(values)) partedRows.set(values, Float64Array.from(values, (value, k) => (k > 0 && branch[k] !== branch[k - 1] ? NaN : value)));
  return partedRows.get(values)!;
}

/** Curves of a plot for the runs in view; the first run is the reference of differences. */
export function curves(spec: PlotSpec, runs: { run: Run; index: number }[]): Curve[] {
  const out: Curve[] = [];
  let breaks: ReadonlySet<number> = new Set();
  const add = (label: string, index: number, signal: number, unit: string, xs: Numbers, ys: Numbers, axis: Numbers): void =>
    void out.push({ label, run: index, signal, unit, xs, ys, track: trackOf(axis), breaks });
  const reference = runs[0]?.run;
  for (const { run, index } of runs) {
    breaks = breaksOf(spec.kind === "difference" && reference ? reference : run);
    if (spec.kind === "energy") {
      run.energy?.list.forEach((part, k) => add(part.name, index, k, part.name === "imbalance" ? IMBALANCE : "J", run.energy!.axis, part.values, run.energy!.axis));
      continue;
    }
    if (!run.signals) continue;
    const axis = run.signals.axis;
    spec.names.forEach((name, k) => {
      const y = row(run, name);
      if (!y) return;
      if (run.study === "path") y.values = parted(y.values, find(run, "branch")?.values);
      const label = name === AXIS ? run.axis.name : name;
      if (spec.kind === "phase") {
        const x = row(run, spec.x);
        if (x) add(label, index, k, y.unit, x.values, y.values, axis);
      } else if (spec.kind === "difference") {
        const other = reference && find(reference, name);
        if (run === reference || !other) return;
        add(`Δ ${label}`, index, k, y.unit, reference.signals!.axis, difference(reference.signals!.axis, other.values, axis, y.values), reference.signals!.axis);
      } else add(label, index, k, y.unit, axis, y.values, axis);
    });
  }
  return out;
}

/** Least and greatest finite value of ys where xs is within a window. */
export function rangeWithin(xs: Numbers, ys: Numbers, low: number, high: number): [number, number] {
  let min = Infinity, max = -Infinity;
  for (let i = 0; i < ys.length; i++) {
    const y = ys[i]!;
    if (xs[i]! < low || xs[i]! > high || !Number.isFinite(y)) continue;
    if (y < min) min = y;
    if (y > max) max = y;
  }
  return [min, max];
}

/** A little room around the data; a constant gets some, too. */
export function padded([min, max]: [number, number], share: number): [number, number] {
  if (!(min <= max)) return [0, 1];
  const room = max > min ? (max - min) * share : Math.abs(min) * 0.1 || 1;
  return [min - room, max + room];
}
