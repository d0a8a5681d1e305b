/** The plots panel: a searchable list of signals, and cards with one chart each. */
import type { Run } from "./data";
import { button, formatNumber, h, paragraphs } from "./dom";
import { shortNames } from "./matching";
import { type Drawn, Plot } from "./plot";
import { allPlots, AXIS, type Curve, curves, defaultPlots, find, type PlotSpec } from "./signals";
import { lineColor, runColor } from "./theme";
import type { Track } from "./track";

const DASHES: number[][] = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const LISTED = 200;

interface Card { spec: PlotSpec; plot: Plot; drawn: Drawn[]; values: HTMLElement[]; element: HTMLElement; head: HTMLElement }

/** What moved from the start, and how far, in the words of the program. */
function movedPanel(run: Run): HTMLElement | null {
  const text = run.summary.find(([label]) => label === "moved")?.[1];
  return text ? h("div", { class: "moved" }, h("h2", {}, "Moved"), ...paragraphs(text)) : null;
}

/** The signals of one state. */
function valuesTable(run: Run): HTMLElement {
  const rows = run.signals!.list.map(({ name, unit, description, values }) => h("tr", {},
    h("th", { scope: "row" }, name), h("td", { class: "number" }, formatNumber(values[0]!, 6)), h("td", {}, unit === "1" ? "" : unit), h("td", { class: "description" }, description)));
  return h("div", { class: "table-wrap" }, h("table", { class: "grid-table values-table" },
    h("thead", {}, h("tr", {}, ...["Signal", "Value", "", ""].map((name) => h("th", { scope: "col", class: name === "Value" ? "number" : "" }, name)))), h("tbody", {}, ...rows)));
}

export class Plots {
  readonly element = h("div", { class: "plots" });
  onjump: (position: number, track: Track) => void = () => {};
  private runs: { run: Run; index: number }[] = [];
  private cards: Card[] = [];
  private active = 0;
  private readonly search = h("input", { type: "search", placeholder: "Search signals", "aria-label": "Search signals" });
  private readonly listing = h("ul", { class: "signals", "aria-label": "Signals of the highlighted plot" });
  private readonly count = h("span", { class: "count" });
  private readonly chooser: HTMLDetailsElement;
  private readonly stack = h("div", { class: "cards" });
  private readonly drawings = h("div", { class: "drawings" });
  private readonly note = h("p", { class: "note" });
  /** How many of the signals the plots show. */
  private readonly coverage = h("p", { class: "coverage" });
  private readonly values = h("div", { class: "values" });
  private readonly energyButton = button("+ Energy", "Add a plot of the energies", () => this.add({ kind: "energy", names: [], x: AXIS }));
  private readonly differenceButton = button("+ Difference", "Add the difference of the highlighted plot's signals between runs", () => this.addDifference());
  private readonly phaseButton = button("+ Phase", "Add a phase portrait: one signal over another", () => this.addPhase());
  private position: (track: Track) => number = () => 0;
  private lastText = 0;

  constructor(specs: PlotSpec[] | null, run: Run) {
    this.search.addEventListener("input", () => this.list());
    this.chooser = h("details", { class: "chooser" },
      h("summary", {}, "Signals ", this.count), this.search, this.listing);
    this.element.append(
      h("div", { class: "plot-tools" }, this.chooser,
        button("+ Plot", "Add an empty plot", () => this.add({ kind: "signals", names: [], x: AXIS })),
        this.phaseButton, this.energyButton, this.differenceButton),
      this.drawings, this.coverage, this.values, this.stack, this.note);
    for (const spec of specs ?? defaultPlots(run)) this.append(spec);
  }

  get specs(): PlotSpec[] {
    return this.cards.map(({ spec }) => spec);
  }

  /** Takes the runs in view; curves of equal names lie over each other. */
  setRuns(runs: { run: Run; index: number }[]): void {
    this.runs = runs;
    const run = runs[0]!.run;
    this.energyButton.hidden = !run.energy;
    this.drawings.replaceChildren(...runs.flatMap(({ run: { name, diagrams } }) => diagrams.map(({ file, title, svg }) =>
      h("figure", { class: "drawing" },
        h("figcaption", {}, runs.length > 1 ? `${title} · ${name}` : title),
        // An image cannot run scripts or reach out, whatever it holds.
        h("img", { src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`, alt: title, title: file })))));
    this.differenceButton.hidden = runs.length < 2;
    this.phaseButton.hidden = (run.signals?.list.length ?? 0) < 2;
    const kept = run.kept.signals;
    this.note.textContent = kept && kept[0] < kept[1] ? `Plots show ${kept[0]} of ${kept[1]} samples; “poinsot view” shows all.` : "";
    this.values.replaceChildren(...(run.signals?.axis.length === 1 ? [movedPanel(run), valuesTable(run)].filter((part) => part !== null) : []));
    this.draw();
  }

  draw(): void {
    for (const card of this.cards) this.fill(card);
    this.list();
  }

  /** Says what is left out, and draws it on request. */
  private cover(): void {
    const run = this.runs[0]?.run;
    const all = run?.signals?.list ?? [];
    const drawn = new Set(this.cards.flatMap(({ spec }) => (spec.kind === "phase" ? [...spec.names, spec.x] : spec.names)));
    const left = all.filter(({ name }) => !drawn.has(name) && name !== run?.axis.name).length;
    this.coverage.hidden = left === 0 || run!.signals!.axis.length < 2;
    if (this.coverage.hidden) return;
    this.coverage.replaceChildren(`${all.length - left} of ${all.length} signals are drawn; the others are in the list “Signals”. `,
      button("Draw all", `Draw all ${all.length} signals`, () => this.drawAll()));
  }

  /** Puts plots of all signals in the place of those that are there; phase portraits and energies stay. */
  private drawAll(): void {
    const kept = this.specs.filter(({ kind }) => kind === "phase" || kind === "energy");
    for (const { plot, element } of this.cards) {
      plot.destroy();
      element.remove();
    }
    this.cards = [];
    for (const spec of [...kept, ...allPlots(this.runs[0]!.run)]) this.append(spec);
    this.active = 0;
    this.draw();
  }

  private add(spec: PlotSpec): void {
    this.append(spec);
    this.highlight(this.cards.length - 1);
    if (spec.kind === "signals") {
      this.chooser.open = true;
      this.search.focus();
    }
    this.draw();
    this.cards.at(-1)!.element.scrollIntoView({ block: "nearest" });
  }

  private addPhase(): void {
    const chosen = this.cards[this.active]?.spec.names.filter((name) => name !== AXIS) ?? [];
    const all = this.runs[0]!.run.signals!.list.map(({ name }) => name);
    const x = chosen[0] ?? all[0]!;
    this.add({ kind: "phase", x, names: [chosen[1] ?? all.find((name) => name !== x)!] });
  }

  private addDifference(): void {
    const chosen = this.cards[this.active]?.spec.names.filter((name) => name !== AXIS) ?? [];
    const names = chosen.length > 0 ? chosen : this.runs[0]!.run.signals?.list.slice(0, 1).map(({ name }) => name) ?? [];
    this.add({ kind: "difference", names: [...names], x: AXIS });
  }

  private append(spec: PlotSpec): void {
    const plot = new Plot();
    const head = h("div", { class: "legend" });
    const element = h("section", { class: "card", "aria-label": "Plot" }, head, plot.element);
    const card: Card = { spec, plot, head, element, drawn: [], values: [] };
    for (const event of ["pointerdown", "focusin"]) element.addEventListener(event, () => this.highlight(this.cards.indexOf(card)));
    plot.onjump = (curve, position) => this.onjump(position, curve.track);
    plot.onzoom = (range) => {
      for (const other of this.cards) if (other.spec.kind !== "phase" && !other.drawn.some(({ track }) => !track.byValue)) other.plot.zoom(range);
    };
    this.cards.push(card);
    this.stack.append(element);
  }

  private remove(card: Card): void {
    card.plot.destroy();
    card.element.remove();
    this.cards.splice(this.cards.indexOf(card), 1);
    this.highlight(Math.min(this.active, this.cards.length - 1));
  }

  private highlight(i: number): void {
    this.active = Math.max(i, 0);
    this.cards.forEach(({ element }, k) => element.classList.toggle("active", k === this.active && this.cards.length > 1));
    this.list();
  }

  private fill(card: Card): void {
    const { spec } = card;
    const found = curves(spec, this.runs);
    const runCount = new Set(found.map(({ run }) => run)).size;
    const alone = new Set(found.map(({ signal }) => signal)).size === 1;
    const place = (run: number): number => this.runs.findIndex(({ index }) => index === run);
    card.drawn = found.map((curve) => ({
      ...curve,
      color: alone && runCount > 1 ? runColor(curve.run) : lineColor(curve.signal),
      dash: DASHES[place(curve.run) % DASHES.length]!,
    }));
    const axis = this.runs[0]!.run.axis;
    const turning = card.drawn.some(({ track }) => !track.byValue);
    const unit = (name: string): string => (name === AXIS ? axis.unit : (find(this.runs[0]!.run, name)?.unit ?? ""));
    const name = spec.kind === "phase" && spec.x !== AXIS ? spec.x : axis.name;
    const measure = unit(spec.kind === "phase" ? spec.x : AXIS);
    card.plot.setCurves(card.drawn, measure && measure !== "1" ? `${name} (${measure})` : name, spec.kind === "phase" || turning);
    card.plot.update(this.position);
    card.values = [];
    const entries = card.drawn.map((curve) => this.entry(card, curve, runCount > 1 || spec.kind === "difference"));
    const title = spec.kind === "phase" ? this.phaseChoice(card) : spec.kind === "energy" ? h("b", {}, "Energy") : spec.kind === "difference" ? h("b", {}, `Difference to ${this.runs[0]!.run.name}`) : null;
    const remove = button("×", "Remove this plot", () => this.remove(card), "quiet");
    card.head.replaceChildren(...(title ? [title] : []), ...entries, remove);
    this.writeValues(card);
  }

  private entry(card: Card, curve: Drawn, named: boolean): HTMLElement {
    const value = h("span", { class: "value" });
    card.values.push(value);
    const swatch = h("i", { class: "swatch", style: `--c:${curve.color}; --dash:${curve.dash.length > 0 ? "dashed" : "solid"}` });
    const description = this.describe(curve);
    const run = shortNames(this.runs.map((item) => item.run))[this.runs.findIndex(({ index }) => index === curve.run)]!;
    const first = card.values.length === card.drawn.findIndex(({ signal }) => signal === curve.signal) + 1;
    const removable = card.spec.kind === "signals" && first;
    return h("span", { class: "entry", title: description },
      swatch, h("span", { class: "name" }, named ? `${curve.label} · ${run}` : curve.label), value,
      removable && button("×", `Remove ${curve.label}`, () => this.toggle(curve.label, card), "quiet"));
  }

  private describe(curve: Curve): string {
    return find(this.runs[0]!.run, curve.label)?.description || curve.label;
  }

  private phaseChoice(card: Card): HTMLElement {
    const { run } = this.runs[0]!;
    const names = [AXIS, ...(run.signals?.list.map(({ name }) => name) ?? [])];
    const choice = (label: string, value: string, set: (name: string) => void): HTMLSelectElement => {
      const select = h("select", { "aria-label": label, title: label }, ...names.map((name) => h("option", { value: name }, name === AXIS ? run.axis.name : name)));
      select.value = value;
      select.addEventListener("change", () => {
        set(select.value);
        card.plot.zoomX = null;
        this.fill(card);
      });
      return select;
    };
    return h("span", { class: "phase" },
      choice("Vertical", card.spec.names[0]!, (name) => (card.spec.names = [name])), " over ",
      choice("Horizontal", card.spec.x, (name) => (card.spec.x = name)));
  }

  private toggle(name: string, card = this.cards[this.active]): void {
    if (!card || card.spec.kind === "energy" || card.spec.kind === "phase") {
      this.append({ kind: "signals", names: [name], x: AXIS });
      this.highlight(this.cards.length - 1);
      card = this.cards.at(-1)!;
    } else {
      const { names } = card.spec;
      if (names.includes(name)) names.splice(names.indexOf(name), 1);
      else names.push(name);
    }
    this.fill(card);
    this.list();
  }

  private list(): void {
    this.cover();
    const all = this.runs[0]?.run.signals?.list ?? [];
    const words = this.search.value.toLowerCase().split(/\s+/);
    const matches = all.filter(({ name, unit, description }) => words.every((word) => `${name} ${unit} ${description}`.toLowerCase().includes(word)));
    const spec = this.cards[this.active]?.spec;
    const chosen = new Set(spec?.kind === "signals" || spec?.kind === "difference" ? spec.names : []);
    this.count.textContent = matches.length < all.length ? `${matches.length} of ${all.length}` : String(all.length);
    this.listing.replaceChildren(
      ...matches.slice(0, LISTED).map(({ name, unit, description }) => {
        const box = h("input", { type: "checkbox" });
        box.checked = chosen.has(name);
        box.addEventListener("change", () => this.toggle(name));
        return h("li", {}, h("label", { title: description }, box, h("span", { class: "name" }, name), h("span", { class: "unit" }, unit === "1" ? "" : unit), h("span", { class: "description" }, description)));
      }),
      ...(matches.length > LISTED ? [h("li", { class: "more" }, `… ${matches.length - LISTED} more; search to narrow them down`)] : []),
      ...(matches.length === 0 ? [h("li", { class: "more" }, "No signal matches")] : []));
  }

  /** Follows the timeline; numbers change ten times a second at most, since faster is unreadable. */
  update(position: (track: Track) => number, now: number): void {
    this.position = position;
    if (this.element.offsetParent === null) return;
    for (const { plot } of this.cards) plot.update(position);
    if (now - this.lastText < 100 && now > 0) return;
    this.lastText = now;
    for (const card of this.cards) this.writeValues(card);
  }

  private writeValues(card: Card): void {
    card.drawn.forEach(({ track, ys, unit }, i) => {
      const value = track.sample(ys, this.position(track));
      const measure = unit.split(",")[0]!;
      card.values[i]!.textContent = `${formatNumber(value)}${measure && measure !== "1" ? ` ${measure}` : ""}`;
    });
  }

  destroy(): void {
    for (const { plot } of this.cards) plot.destroy();
  }
}
