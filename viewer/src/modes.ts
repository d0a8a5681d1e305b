/** The list of modes: choose one to see it move. */
import type { Mode, Run } from "./data";
import { button, formatNumber, h } from "./dom";

/** What the list tells of a mode, heading and text: frequency and damping unless the program says otherwise. */
function columns(mode: Mode): [string, string][] {
  const { frequency_hz: f, damping_ratio: d, eigenvalue: e } = mode;
  if (mode.details.length > 0) return mode.details;
  return [
    ["Frequency", f === undefined ? "–" : `${formatNumber(f)} Hz`],
    ["Damping", d === undefined ? "–" : `${formatNumber(100 * d, 3)} %`],
    ["Kind", mode.kind ?? ""],
    ["Eigenvalue (1/s)", !e ? "–" : e.im === 0 ? formatNumber(e.re) : `${e.re === 0 ? "" : `${formatNumber(e.re)} `}${e.im < 0 ? "−" : e.re === 0 ? "±" : "± "}${formatNumber(Math.abs(e.im))} i`],
  ];
}

export const modeTitle = (mode: Mode): string =>
  mode.name ?? `Mode ${mode.number}${mode.frequency_hz === undefined ? "" : ` · ${formatNumber(mode.frequency_hz)} Hz`}`;

export class Modes {
  readonly element = h("div", { class: "modes" });
  chosen: number | null;
  amplitude = 0.1;
  onchange: () => void = () => {};
  private readonly rows: HTMLTableRowElement[];

  constructor(private readonly run: Run) {
    this.chosen = run.modes.length > 0 ? 0 : null;
    this.rows = run.modes.map((mode, i) => {
      const pick = button(String(mode.number), `Show mode ${mode.number}`, () => this.choose(i));
      const row = h("tr", {}, h("td", {}, pick), ...columns(mode).map(([, text]) => h("td", {}, text)));
      row.addEventListener("click", (event) => {
        if (event.target !== pick) this.choose(i);
      });
      return row;
    });
    const details = run.modes.some((mode) => mode.details.length > 0);
    const slider = h("input", { type: "range", min: -2, max: 0, step: 0.01, value: Math.log10(this.amplitude), "aria-label": "Amplitude" });
    const shown = h("output", {}, "10 %");
    slider.addEventListener("input", () => {
      this.amplitude = 10 ** Number(slider.value);
      shown.textContent = `${formatNumber(100 * this.amplitude, 2)} %`;
      this.onchange();
    });
    this.element.append(
      h("div", { class: "mode-tools" },
        button("‹", "Previous mode (↑)", () => this.step(-1)), button("›", "Next mode (↓)", () => this.step(1)),
        h("label", {}, "Amplitude ", slider, shown),
        button("Rest", "Show the reference without a mode", () => this.choose(null))),
      h("div", { class: "table-wrap" }, h("table", { class: "grid-table modes-table" },
        h("thead", {}, h("tr", {}, ...[details ? "Shape" : "Mode", ...columns(run.modes[0]!).map(([heading]) => heading)].map((name) => h("th", { scope: "col" }, name)))),
        h("tbody", {}, ...this.rows))),
      h("p", { class: "note" }, "The amplitude is the largest displacement as a share of the model's length."));
    this.mark();
  }

  get mode(): Mode | null {
    return this.chosen === null ? null : (this.run.modes[this.chosen] ?? null);
  }

  choose(i: number | null): void {
    this.chosen = i;
    this.mark();
    this.onchange();
  }

  step(by: number): void {
    const count = this.run.modes.length;
    if (count > 0) this.choose(this.chosen === null ? 0 : (this.chosen + by + count) % count);
    if (this.chosen !== null) this.rows[this.chosen]!.scrollIntoView({ block: "nearest" });
  }

  private mark(): void {
    this.rows.forEach((row, i) => {
      row.classList.toggle("chosen", i === this.chosen);
      row.querySelector("button")!.setAttribute("aria-pressed", String(i === this.chosen));
    });
  }
}
