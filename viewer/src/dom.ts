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

/** Whether a text of several lines has columns that line up. */
export const isTable = (text: string): boolean => text.includes("\n") && / {2}/.test(text);
