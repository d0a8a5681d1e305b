/** The points of a path of equilibria: choose one to see its shape. */
import type { Run } from "./data";
import { button, formatNumber, h, withUnit } from "./dom";
import { find, PATH_COLUMNS, trackOf } from "./signals";
import type { Track } from "./track";

/** Points that are listed at most. */
const LISTED = 1000;
/** Signals that the list tells of a point. */
const TOLD = 2;

/** Whether an equilibrium is stable, in words. */
function stability(unstable: number | undefined): string {
  if (unstable === undefined || !(unstable >= 0)) return "not known";
  return unstable === 0 ? "stable" : unstable === 1 ? "unstable" : `unstable in ${unstable} directions`;
}

export class PathPoints {
  readonly element = h("div", { class: "path-points" });
  /** Asks for a position on the track of the signals. */
  onjump: (position: number, track: Track) => void = () => {};
  private readonly track: Track;
  private readonly rows: HTMLTableRowElement[];
  private readonly branches: boolean;
  private shown = -1;
  private seen = false;

  constructor(private readonly run: Run) {
    const signals = run.signals!, { axis, list } = signals;
    this.track = trackOf(axis);
    const told = list.filter(({ name }) => !PATH_COLUMNS.includes(name) && name !== run.axis.name).slice(0, TOLD);
    const branches = (this.branches = new Set(find(run, "branch")?.values ?? []).size > 1);
    this.rows = Array.from(axis.subarray(0, LISTED), (value, k) => {
      const pick = button(String(k + 1), `Show point ${k + 1}`, () => this.choose(k));
      const branch = find(run, "branch")?.values, unstable = find(run, "unstable_directions")?.values;
      // Between two points that differ in this lies a limit point or a bifurcation.
      const turns = k > 0 && unstable?.[k] !== unstable?.[k - 1] && branch?.[k] === branch?.[k - 1];
      const row = h("tr", { class: turns ? "turns" : "" }, h("td", {}, pick), branches ? h("td", {}, formatNumber(branch?.[k] ?? NaN)) : null,
        h("td", { class: "number" }, withUnit(value, run.axis.unit, 5)), ...told.map(({ values, unit }) => h("td", { class: "number" }, withUnit(values[k]!, unit))),
        h("td", {}, stability(unstable?.[k])));
      row.addEventListener("click", (event) => {
        if (event.target !== pick) this.choose(k);
      });
      return row;
    });
    const headings: [string, string][] = [["Point", ""], ...(branches ? [["Branch", ""] as [string, string]] : []),
      ...[run.axis.name, ...told.map(({ name }) => name)].map((name): [string, string] => [name, "number"]), ["Stability", ""]];
    this.element.append(
      h("div", { class: "mode-tools" },
        button("‹", "Previous point (↑)", () => this.step(-1)), button("›", "Next point (↓)", () => this.step(1)),
        h("span", {}, "The scene shows the shape at the chosen point; the grey shadow is the first one.")),
      h("div", { class: "table-wrap" }, h("table", { class: "grid-table modes-table" },
        h("thead", {}, h("tr", {}, ...headings.map(([name, kind]) => h("th", { scope: "col", class: kind }, name)))), h("tbody", {}, ...this.rows))),
      axis.length > LISTED ? h("p", { class: "note" }, `Listed are ${LISTED} of ${axis.length} points; the timeline goes through all.`) : "");
  }

  private choose(k: number): void {
    this.onjump(this.track.positionOfFrame(k), this.track);
  }

  step(by: number): void {
    this.choose(Math.min(Math.max(this.shown + by, 0), this.rows.length - 1));
  }

  /** What is to be known of the point at a position of the signals' track. */
  describe(position: number): string {
    const k = this.nearest(position);
    const branch = find(this.run, "branch")?.values[k], unstable = find(this.run, "unstable_directions")?.values[k] ?? -1;
    return [this.branches ? `branch ${branch}` : "", unstable > 0 ? "unstable" : unstable === 0 ? "stable" : ""].filter(Boolean).join(", ");
  }

  private nearest(position: number): number {
    const { frame, fraction } = this.track.locate(position);
    return frame + (fraction >= 0.5 ? 1 : 0);
  }

  /** Marks the point that the timeline is at. */
  update(position: (track: Track) => number): void {
    const k = this.nearest(position(this.track));
    const seen = this.element.offsetParent !== null;
    if (k === this.shown && seen === this.seen) return;
    this.rows[this.shown]?.classList.remove("chosen");
    this.rows[k]?.classList.add("chosen");
    if (seen) this.rows[k]?.scrollIntoView({ block: "nearest" });
    this.shown = k;
    this.seen = seen;
  }
}
