/** The bar under the scene: play, step, slide, speed. */
import { type Clock, SPEEDS } from "./clock";
import type { Check } from "./data";
import { button, formatNumber, h, withUnit } from "./dom";
import { icon } from "./icons";

export interface Ruler {
  /** The position in words, such as "t = 1.25 s". */
  label(position: number): string;
  /** What speed one means, such as "real time". */
  rate(speed: number): string;
  step(position: number, by: number): number;
}

/** How fast the axis runs, in words. */
export function rateText(rate: number, unit: string): string {
  if (unit !== "s") return `${withUnit(rate, unit, 3)} per s`;
  if (Math.abs(rate - 1) < 1e-9) return "real time";
  return rate < 1 ? `${formatNumber(1 / rate, 3)}× slower` : `${formatNumber(rate, 3)}× faster`;
}

export class Timeline {
  readonly element: HTMLElement;
  onjump: (position: number) => void = () => {};
  onplay: () => void = () => {};
  private ruler: Ruler = { label: formatNumber, rate: () => "", step: (position) => position };
  private readonly playButton = button(icon("play"), "Play (space)", () => this.toggle(), "play");
  private readonly slider = h("input", { type: "range", step: "any", "aria-label": "Position", class: "slider" });
  private readonly value = h("output", { class: "now" });
  private readonly rateNote = h("span", { class: "rate" });
  private readonly speeds = h("select", { "aria-label": "Speed", title: "Speed ([ and ])" }, ...SPEEDS.map((speed) => h("option", { value: speed }, `${speed}×`)));
  private readonly loopButton = button(icon("repeat"), "Repeat (l)", () => this.toggleLoop(), "toggle");
  private readonly marks = h("div", { class: "marks" });
  private shownLabel = "";

  constructor(private readonly clock: Clock) {
    this.slider.addEventListener("input", () => this.onjump(Number(this.slider.value)));
    this.speeds.addEventListener("change", () => {
      clock.speed = Number(this.speeds.value);
      this.refresh();
    });
    this.element = h("div", { class: "timeline", role: "group", "aria-label": "Timeline" },
      h("div", { class: "buttons" },
        button(icon("first"), "To the start (Home)", () => this.onjump(clock.start)),
        button(icon("back"), "One frame back (←)", () => this.step(-1)),
        this.playButton,
        button(icon("on"), "One frame on (→)", () => this.step(1)),
        button(icon("last"), "To the end (End)", () => this.onjump(clock.end))),
      h("div", { class: "track" }, this.marks, this.slider),
      this.value,
      h("div", { class: "speed" }, this.speeds, this.loopButton, this.rateNote));
  }

  /** Takes the span of the clock and marks where checks ask for attention. */
  setRuler(ruler: Ruler, checks: { check: Check; position: number }[]): void {
    this.ruler = ruler;
    const { start, end } = this.clock;
    this.slider.min = String(start);
    this.slider.max = String(end);
    this.slider.disabled = !(end > start);
    this.marks.replaceChildren(...checks.filter(({ check }) => check.state === "bad" || check.state === "doubtful").map(({ check, position }) => {
      const mark = button("", `${check.label}: ${check.value}`, () => this.onjump(position), `mark ${check.state}`);
      mark.style.left = `${(100 * (position - start)) / (end - start || 1)}%`;
      return mark;
    }));
    this.refresh();
  }

  toggle(): void {
    this.clock.play(!this.clock.playing);
    this.onplay();
    this.refresh();
  }

  toggleLoop(): void {
    this.clock.loop = !this.clock.loop;
    this.refresh();
  }

  step(by: number): void {
    this.onjump(this.ruler.step(this.clock.position, by));
  }

  changeSpeed(by: number): void {
    const at = SPEEDS.indexOf(this.clock.speed);
    this.clock.speed = SPEEDS[Math.min(Math.max(at + by, 0), SPEEDS.length - 1)]!;
    this.refresh();
  }

  /** Shows the clock's position; called in every frame, so it writes only what changed. */
  update(): void {
    const { position, playing } = this.clock;
    this.slider.value = String(position);
    if (playing !== (this.playButton.dataset.playing === "true")) this.refresh(); // it stopped at the end
    const label = this.ruler.label(position);
    if (label === this.shownLabel) return;
    this.shownLabel = label;
    this.value.textContent = label;
    this.slider.setAttribute("aria-valuetext", label);
  }

  refresh(): void {
    const { playing, speed, loop } = this.clock;
    this.playButton.dataset.playing = String(playing);
    this.playButton.replaceChildren(icon(playing ? "pause" : "play"));
    this.playButton.title = playing ? "Pause (space)" : "Play (space)";
    this.playButton.setAttribute("aria-label", this.playButton.title);
    this.speeds.value = String(speed);
    this.loopButton.setAttribute("aria-pressed", String(loop));
    this.rateNote.textContent = this.ruler.rate(speed);
    this.update();
  }
}
