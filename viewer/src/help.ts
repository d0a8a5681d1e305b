/** The keyboard shortcuts, as a dialog. */
import { button, h } from "./dom";

const KEYS: [string, string][] = [
  ["Space", "play or pause"], ["← →", "one frame back or on (with Shift: ten)"], ["Home End", "to the start or the end"],
  ["[ ]", "slower, faster"], ["L", "repeat"], ["↑ ↓", "previous or next mode, or point of a path"],
  ["F", "fit the view"], ["1 … 6", "front, back, left, right, top, bottom"], ["0", "the view of the start"], ["O", "perspective or parallel"], ["+ −", "zoom"],
  ["T", "light, dark or as the system"], ["Esc", "drop the selection"], ["?", "this help"],
];
const MOUSE: [string, string][] = [
  ["Drag", "turn the view"], ["Right drag, Shift + drag", "move the view"], ["Wheel, pinch", "zoom"], ["Double click", "fit the view; in a plot: all again"],
  ["Click on a body", "select it and trace its path"], ["Click in a plot", "show that instant"], ["Drag in a plot", "zoom in"],
];

export function helpDialog(): HTMLDialogElement {
  const table = (rows: [string, string][]): HTMLElement => h("dl", {}, ...rows.flatMap(([key, text]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, text)]));
  const dialog = h("dialog", { class: "help", "aria-label": "Help" },
    h("div", { class: "help-head" }, h("h2", {}, "Keys and mouse"), button("×", "Close", () => dialog.close(), "quiet")),
    h("div", { class: "help-body" }, table(KEYS), table(MOUSE)));
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
