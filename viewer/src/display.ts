/** What to draw: the panel of switches over the scene, and the colour bar. */
import { RESULTANTS } from "./beams";
import { VIRIDIS_CSS } from "./colormap";
import { formatNumber, h, popover } from "./dom";
import { FIELDS, type Field } from "./flexible";
import type { Display, RunScene } from "./scene";

type Switch = { [K in keyof Display]: Display[K] extends boolean ? K : never }[keyof Display];

/** By how much displacements from the start can be enlarged. */
const SCALES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export function displayPanel(display: Display, scene: RunScene, onchange: () => void): HTMLElement {
  const { has } = scene;
  const box = (key: Switch, label: string, shown = true): HTMLElement | null => {
    if (!shown) return null;
    const input = h("input", { type: "checkbox", name: key });
    input.checked = display[key];
    input.addEventListener("change", () => {
      display[key] = input.checked;
      onchange();
    });
    return h("label", {}, input, label);
  };
  const slider = h("input", { type: "range", min: -1, max: 1, step: 0.02, value: Math.log10(display.arrowScale), "aria-label": "Length of arrows" });
  slider.addEventListener("input", () => {
    display.arrowScale = 10 ** Number(slider.value);
    onchange();
  });
  const resultants = h("select", { "aria-label": "Colour of beams" }, h("option", { value: "" }, "plain"), ...RESULTANTS.map(({ key, label }) => h("option", { value: key }, label)));
  resultants.value = display.resultant;
  resultants.addEventListener("change", () => {
    display.resultant = resultants.value;
    onchange();
  });
  const fields = h("select", { "aria-label": "Colour of flexible bodies" }, h("option", { value: "" }, "plain"),
    ...FIELDS.filter(({ key }) => key !== "von_mises" || has.stresses).map(({ key, label }) => h("option", { value: key }, label)));
  fields.value = display.field;
  fields.addEventListener("change", () => {
    display.field = fields.value as Field | "";
    onchange();
  });
  const scales = h("select", { "aria-label": "Scale of displacements", class: "exaggeration" }, ...SCALES.map((scale) => h("option", { value: scale }, `${scale} ×`)));
  scales.value = String(display.exaggeration);
  scales.addEventListener("change", () => {
    display.exaggeration = Number(scales.value);
    onchange();
  });
  return popover("Display", "What to draw",
    box("joints", "Joints and axes", has.joints), box("springs", "Springs", has.springs),
    box("loads", "Loads", has.loads), box("reactions", "Reactions", has.reactions),
    has.loads || has.reactions ? h("label", { class: "wide" }, "Arrows", slider) : null,
    box("frames", "Body axes"), box("sections", "Nodes and section axes", has.beams),
    has.resultants ? h("label", { class: "wide" }, scene.scene.plates.length > 0 ? "Beams, plates" : "Beams", resultants) : null,
    has.flexible ? h("label", { class: "wide" }, "Flexible bodies", fields) : null,
    box("traces", "Traces", scene.frames.count > 1), box("start", "Start as a shadow", has.start),
    has.start ? h("label", { class: "wide" }, "Displacements", scales) : null, box("ground", "Ground", has.ground), box("grid", "Grid"));
}

/** The colours of a resultant and what they stand for. */
export function colorBar(resultant: string, range: [number, number] | null): HTMLElement | null {
  const found = RESULTANTS.find(({ key }) => key === resultant);
  return found && range ? bar(found.label, found.unit, range) : null;
}

/** The colours of flexible bodies. */
export function fieldBar(field: Field | "", largest: number): HTMLElement | null {
  const found = FIELDS.find(({ key }) => key === field);
  return found && largest > 0 ? bar(found.label, found.unit, [0, largest]) : null;
}

function bar(label: string, unit: string, [low, high]: [number, number]): HTMLElement {
  return h("div", { class: "color-bar" },
    h("div", { class: "title" }, `${label} (${unit})`),
    h("div", { class: "ramp", style: `background: linear-gradient(to right, ${VIRIDIS_CSS})` }),
    h("div", { class: "ticks" }, ...(high > low ? [0, 0.5, 1].map((u) => h("span", {}, formatNumber(low + u * (high - low), 3))) : [h("span", {}, `${formatNumber(low, 3)} everywhere`)])));
}
