/** The card of the selected body: name, place, velocity. */
import { button, formatNumber, h } from "./dom";
import type { Target } from "./view";

export class Inspector {
  readonly element = h("div", { class: "inspector", hidden: true });
  target: Target | null = null;
  ontrace: (on: boolean) => void = () => {};
  onfollow: (on: boolean) => void = () => {};
  onclose: () => void = () => {};
  private readonly title = h("b", {});
  private readonly kind = h("span", { class: "kind" });
  private readonly note = h("div", { class: "kind", hidden: true });
  private readonly rows = h("dl", {});
  private readonly trace = h("input", { type: "checkbox" });
  private readonly follow = h("input", { type: "checkbox" });
  private readonly now = new Float64Array(3);
  private readonly cells: Record<"position" | "velocity" | "speed", HTMLElement> = { position: h("dd", {}), velocity: h("dd", {}), speed: h("dd", {}) };
  private readonly velocityRows: HTMLElement[];
  private last = 0;

  constructor() {
    this.trace.addEventListener("change", () => this.ontrace(this.trace.checked));
    this.follow.addEventListener("change", () => this.onfollow(this.follow.checked));
    this.velocityRows = [h("dt", {}, "Velocity"), this.cells.velocity, h("dt", {}, "Speed"), this.cells.speed];
    this.rows.append(h("dt", {}, "Position"), this.cells.position, ...this.velocityRows);
    this.element.append(
      h("div", { class: "inspector-head" }, this.title, this.kind, button("×", "Drop the selection (Esc)", () => this.onclose(), "quiet")),
      this.note, this.rows,
      h("div", { class: "inspector-tools" }, h("label", {}, this.trace, "Trace"), h("label", {}, this.follow, "Follow")));
  }

  /** `note` says in which of several runs the body is. */
  show(target: Target | null, note: string, isTime: boolean, traced: boolean): void {
    this.target = target;
    this.element.hidden = target === null;
    if (!target) return;
    const { scene, body } = target;
    const { name, kind } = scene.scene.bodies[body]!;
    this.title.textContent = name;
    this.kind.textContent = kind === "body" ? "centre of mass" : kind;
    this.note.textContent = note;
    this.note.hidden = !note;
    for (const row of this.velocityRows) row.hidden = !isTime || scene.frames.count < 2;
    this.trace.checked = traced;
    this.follow.checked = false;
    this.trace.disabled = scene.frames.count < 2;
    this.last = 0;
    this.update(0);
  }

  update(now: number): void {
    if (!this.target || (now - this.last < 100 && now > 0)) return;
    this.last = now;
    const { scene, body } = this.target;
    scene.measuredCentre(body, this.now);
    this.cells.position.textContent = `${list(this.now)} m`;
    if (this.velocityRows[0]!.hidden) return;
    const v = scene.velocity(body);
    this.cells.velocity.textContent = `${list(v)} m/s`;
    this.cells.speed.textContent = `${formatNumber(Math.hypot(...v), 3)} m/s`;
  }
}

const list = (v: ArrayLike<number>): string => Array.from(v, (x) => formatNumber(Math.abs(x) < 1e-12 ? 0 : x, 3)).join(",  ");
