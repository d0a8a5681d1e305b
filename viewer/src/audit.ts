/** The audit: what was checked, how it came out, and what that means. */
import type { Check, Run, State } from "./data";
import { h, paragraphs } from "./dom";

/** Shape and word besides the colour, so that nobody depends on telling red from green. */
const MARKS: Record<State, { sign: string; word: string }> = {
  good: { sign: "✓", word: "good" },
  doubtful: { sign: "▲", word: "doubtful" },
  bad: { sign: "✕", word: "bad" },
  note: { sign: "i", word: "note" },
};
const ORDER: State[] = ["bad", "doubtful", "good", "note"];

/** The worst state and how many checks have it. */
export function worst(checks: Check[]): { state: State; text: string } | null {
  for (const state of ORDER) {
    const count = checks.filter((check) => check.state === state).length;
    if (count === 0) continue;
    if (state === "note") return { state, text: `${count} ${count === 1 ? "note" : "notes"}` };
    if (state === "good") return { state, text: `${count} ${count === 1 ? "check" : "checks"} good` };
    return { state, text: `${count} ${MARKS[state].word}` };
  }
  return null;
}

export const mark = (state: State, text = MARKS[state].word): HTMLElement =>
  h("span", { class: `state ${state}` }, h("span", { class: "sign", "aria-hidden": true }, MARKS[state].sign), text);

export function auditPanel(run: Run, jump: (at: number) => void): HTMLElement {
  if (run.checks.length === 0) return h("p", { class: "empty" }, "This run has no checks.");
  const items = run.checks.map((check) => {
    const body = [
      h("div", { class: "check-line" }, mark(check.state), h("b", {}, check.label),
        h("div", { class: check.value.includes("\n") ? "check-value several" : "check-value" }, ...(check.value.includes("\n") ? paragraphs(check.value) : [check.value]), check.limit ? h("span", { class: "limit" }, `limit ${check.limit}`) : null)),
      h("p", {}, check.meaning),
    ];
    if (check.at === undefined) return h("li", { class: "check" }, ...body);
    const at = check.at;
    return h("li", { class: "check" }, h("button", { type: "button", class: "check-jump", title: "Show this instant", onclick: () => jump(at) }, ...body,
      h("span", { class: "at" }, `at ${run.axis.name} = ${at.toPrecision(5).replace(/\.?0+$/, "")} ${run.axis.unit} →`)));
  });
  return h("ul", { class: "checks" }, ...items);
}

/** Checks by run, for comparison. */
export function auditTable(runs: Run[]): HTMLElement {
  const labels = [...new Set(runs.flatMap(({ checks }) => checks.map(({ label }) => label)))];
  return h("div", { class: "table-wrap" }, h("table", { class: "grid-table" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Check"), ...runs.map(({ name }) => h("th", { scope: "col" }, name)))),
    h("tbody", {}, ...labels.map((label) => h("tr", {}, h("th", { scope: "row" }, label), ...runs.map(({ checks }) => {
      const check = checks.find((item) => item.label === label);
      return h("td", check ? { title: check.meaning } : {}, ...(check ? [mark(check.state), " ", check.value] : ["–"]));
    }))))));
}
