/** A few lines in place of a framework: build elements, fill them, format numbers for people. */

type Attribute = string | number | boolean | null | undefined | ((event: never) => void);
export type Child = Node | string | null | undefined | false;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, Attribute> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    // The policy of the page refuses the attribute, not the property.
    if (name === "style") element.style.cssText = String(value);
    else if (typeof value === "function") element.addEventListener(name.slice(2), value as unknown as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false));
  return element;
}

/** A button that keeps the keyboard focus where it is when clicked, so that shortcuts go on working. */
export function button(label: string | Node, title: string, onclick: () => void, className = ""): HTMLButtonElement {
  return h("button", {
    type: "button", class: className, title, "aria-label": title, onclick,
    onmousedown: (event: MouseEvent) => event.preventDefault(),
  }, label);
}

/** A button that opens a small panel beside it; Escape or a click elsewhere closes it. */
export function popover(label: string, title: string, ...content: Child[]): HTMLDetailsElement {
  return h("details", { class: "popover" }, h("summary", { title, "aria-label": title }, label), h("div", { class: "popover-panel" }, ...content));
}

export function closePopovers(except: Node | null): boolean {
  const open = [...document.querySelectorAll<HTMLDetailsElement>("details.popover[open]")].filter((details) => !except || !details.contains(except));
  for (const details of open) details.open = false;
  return open.length > 0;
}

/** Engineering notation is for instruments; four significant digits are what a reader compares. */
export function formatNumber(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text = size >= 1e-3 && size < 1e5 ? String(Number(value.toPrecision(digits))) : value.toExponential(digits - 1);
  return text.replace(/\.?0*e\+?/, "e").replace(/-/g, "−");
}

export function withUnit(value: number, unit: string, digits = 4): string {
  return unit && unit !== "1" ? `${formatNumber(value, digits)} ${unit}` : formatNumber(value, digits);
}

export const reducedMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Where the columns of lines that line up begin and end: between them all lines have two spaces at least. */
export function columnsOf(lines: string[]): [number, number][] {
  const width = Math.max(...lines.map(({ length }) => length));
  const blank = (c: number): boolean => lines.every((line) => (line[c] ?? " ") === " ");
  const columns: [number, number][] = [];
  for (let c = 0, start = -1; c <= width; c++) {
    const ends = c === width || (blank(c) && blank(c + 1));
    if (start < 0 && !blank(c) && c < width) start = c;
    if (start >= 0 && ends) {
      columns.push([start, c]);
      start = -1;
    }
  }
  return columns;
}

const isNumber = (text: string): boolean => /^[-−]?[\d.]+(e[-−+]?\d+)?$/.test(text);

/** Letters of a cell that stay in one line. */
const SHORT = 16;

/** Aligned lines as a table whose words can wrap; a first row without a number has the headings. */
function tableOf(lines: string[]): HTMLElement {
  const columns = columnsOf(lines);
  const rows = lines.map((line) => columns.map(([from, to]) => line.slice(from, to).trim()));
  const numeric = columns.map((_, c) => rows.some((row) => isNumber(row[c]!)) && rows.slice(1).every((row) => row[c] === "" || isNumber(row[c]!)));
  const headed = rows.length > 1 && !rows[0]!.some(isNumber) && rows.slice(1).some((row) => row.some(isNumber));
  return h("div", { class: "table-wrap" }, h("table", { class: "cells" }, ...rows.map((row, k) => h("tr", {},
    ...row.map((text, c) => h(headed && k === 0 ? "th" : "td", { class: numeric[c] ? "number" : text.length <= SHORT ? "short" : "" }, text))))));
}

/** What the program says in several lines: sentences, and tables where lines have columns. */
export function paragraphs(text: string): HTMLElement[] {
  const blocks: { table: boolean; lines: string[] }[] = [];
  for (const line of text.split("\n")) {
    const table = / {2}/.test(line.trimEnd());
    const last = blocks.at(-1);
    if (last?.table === table) last.lines.push(line);
    else blocks.push({ table, lines: [line] });
  }
  return blocks.flatMap(({ table, lines }) => (table && lines.length > 1 ? [tableOf(lines)] : lines.map((line) => h("span", { class: "sentence" }, line))));
}
