/** Which bodies of several runs belong together: those of one name. */
import type { Run } from "./data";
import { h } from "./dom";

/** Names of runs for narrow places: where all are “model (folder)” of one model, the folder tells them apart. */
export function shortNames(runs: { name: string }[]): string[] {
  const parts = runs.map(({ name }) => /^(.*) \((.+)\)$/.exec(name));
  const alike = runs.length > 1 && parts.every((part) => part !== null && part[1] === parts[0]![1]);
  return runs.map(({ name }, i) => (alike ? parts[i]![2]! : name));
}

type Named = Pick<Run, "name" | "scene">;
/** Nodes belong to their beams and are no bodies of their own. */
const names = (run: Named): string[] => run.scene?.bodies.filter(({ kind }) => kind !== "node").map(({ name }) => name) ?? [];

/** Names of all bodies, those of the first run in front. */
export const allBodies = (runs: Named[]): string[] => [...new Set(runs.flatMap(names))];

/** Bodies that not every run has, and which runs have each. */
export function unmatched(runs: Named[]): { name: string; in: boolean[] }[] {
  const drawn = runs.map((run) => new Set(names(run)));
  return allBodies(runs).map((name) => ({ name, in: drawn.map((set) => set.has(name)) })).filter((body) => body.in.includes(false));
}

/** How the bodies of a run differ from those of the one it is compared with, in a few words. */
export function difference(run: Named, other: Named): string {
  const own = new Set(names(run)), others = new Set(names(other));
  const also = [...own].filter((name) => !others.has(name)), lacks = [...others].filter((name) => !own.has(name));
  return [also.length > 0 ? `only here: ${few(also)}` : "", lacks.length > 0 ? `not here: ${few(lacks)}` : ""].filter(Boolean).join(" · ");
}

const few = (list: string[]): string => (list.length > 4 ? `${list.slice(0, 3).join(", ")} and ${list.length - 3} more` : list.join(", "));

/** The bodies that not every run has, by run. */
export function bodiesTable(runs: Run[]): HTMLElement | null {
  const rows = unmatched(runs);
  if (rows.length === 0) return null;
  return h("div", { class: "table-wrap bodies-table" }, h("table", { class: "grid-table" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Body"), ...runs.map(({ name }) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, ...rows.map((row) => h("tr", {}, h("th", { scope: "row" }, row.name), ...row.in.map((has) => h("td", {}, has ? "✓" : "–")))))));
}
