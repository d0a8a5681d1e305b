/** The small axes in the corner that tell how the view is turned. */
import type { Vector3 } from "three";
import type { Rig } from "./camera";

const SVG = "http://www.w3.org/2000/svg";

export class Triad {
  readonly element = document.createElementNS(SVG, "svg");
  private readonly axes = ["x", "y", "z"].map((name) => {
    const line = document.createElementNS(SVG, "line");
    const label = document.createElementNS(SVG, "text");
    label.textContent = name;
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", `axis-${name}`);
    group.append(line, label);
    this.element.append(group);
    return { name: name as "x" | "y" | "z", group, line, label };
  });

  constructor() {
    this.element.setAttribute("class", "triad");
    this.element.setAttribute("viewBox", "-36 -36 72 72");
    this.element.setAttribute("aria-hidden", "true");
  }

  update(rig: Rig): void {
    const at = (axis: Vector3, name: "x" | "y" | "z"): number => axis[name];
    for (const axis of this.axes) {
      const x = 22 * at(rig.x, axis.name), y = -22 * at(rig.y, axis.name);
      axis.line.setAttribute("x2", x.toFixed(2));
      axis.line.setAttribute("y2", y.toFixed(2));
      axis.label.setAttribute("x", (x * 1.38).toFixed(2));
      axis.label.setAttribute("y", (y * 1.38).toFixed(2));
    }
  }
}
