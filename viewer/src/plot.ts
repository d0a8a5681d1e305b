/** One chart: curves over the axis or over each other, zoom by drag, a cursor that follows the timeline. */
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { tracePath } from "./curvepath";
import { formatNumber, h } from "./dom";
import { type Curve, IMBALANCE, padded, rangeWithin } from "./signals";
import { isDark } from "./theme";
import type { Track } from "./track";

export interface Drawn extends Curve { color: string; dash: number[] }
type Range = [number, number];

/** Leaves room for a billionth of the energies, so that rounding does not look like an error. */
function widen(range: [number, number], energies: [number, number]): void {
  const room = 1e-9 * Math.max(Math.abs(energies[0]), Math.abs(energies[1]));
  range[0] = Math.min(range[0], -room);
  range[1] = Math.max(range[1], room);
}

export class Plot {
  readonly element = h("div", { class: "chart" });
  /** Zoomed window, or null for all; time plots share theirs through onzoom. */
  zoomX: Range | null = null;
  private zoomY: Range | null = null;
  onzoom: (range: Range | null) => void = () => {};
  onjump: (curve: Drawn, position: number) => void = () => {};
  private chart: uPlot | null = null;
  private drawn: Drawn[] = [];
  private xLabel = "";
  private parametric = false;
  private readonly line = h("div", { class: "time-line" });
  private dots: HTMLElement[] = [];
  private readonly observer = new ResizeObserver(() => this.resize());

  constructor() {
    this.observer.observe(this.element);
  }

  /** `parametric` curves may turn back in x: then dots follow the timeline, not a line. */
  setCurves(drawn: Drawn[], xLabel: string, parametric: boolean): void {
    this.drawn = drawn;
    this.xLabel = xLabel;
    this.parametric = parametric;
    this.build();
  }

  private ranges(): Record<string, Range> {
    const ranges: Record<string, Range> = {};
    let x: Range = [Infinity, -Infinity];
    for (const { xs } of this.drawn) {
      const [low, high] = rangeWithin(xs, xs, -Infinity, Infinity);
      x = [Math.min(x[0], low), Math.max(x[1], high)];
    }
    ranges.x = this.zoomX ?? (this.parametric || !(x[1] > x[0]) ? padded(x, 0.05) : x);
    const window = this.parametric ? [-Infinity, Infinity] as Range : ranges.x;
    for (const unit of this.units) {
      let y: Range = [Infinity, -Infinity];
      for (const curve of this.drawn) {
        if (curve.unit !== unit) continue;
        const [low, high] = rangeWithin(curve.xs, curve.ys, ...window);
        y = [Math.min(y[0], low), Math.max(y[1], high)];
      }
      if (unit === IMBALANCE) widen(y, ranges[`y ${this.units[0]}`]!);
      ranges[`y ${unit}`] = this.zoomY && unit === this.units[0] ? this.zoomY : padded(y, 0.06);
    }
    return ranges;
  }

  private get units(): string[] {
    return [...new Set(this.drawn.map(({ unit }) => unit))];
  }

  private build(): void {
    this.chart?.destroy();
    this.chart = null;
    this.element.replaceChildren();
    if (this.drawn.length === 0) {
      this.element.append(h("p", { class: "empty" }, "Choose signals from the list above."));
      return;
    }
    const ink = isDark() ? "#aeb8c6" : "#4a5563", faint = isDark() ? "#2b323d" : "#e3e7ec";
    const ranges = this.ranges();
    // Canvas text knows no relative sizes, and uPlot scales whole numbers of pixels only.
    const em = Math.round(parseFloat(getComputedStyle(document.documentElement).fontSize) * 0.85);
    const font = `${em}px system-ui, sans-serif`;
    const axis = (scale: string, label: string, side: 1 | 2 | 3, grid: boolean): uPlot.Axis => ({
      scale, side, stroke: ink, font, labelFont: font, label, labelSize: 1.35 * em, labelGap: 0, gap: 4,
      ticks: { stroke: faint, size: 4, width: 1 }, grid: { show: grid, stroke: faint, width: 1 },
      values: (_, splits) => splits.map((value) => formatNumber(value)),
      ...(side === 2 ? { size: 2.4 * em, space: 5.5 * em } : {
        space: 2.4 * em,
        size: (u: uPlot, values: string[] | null) => {
          u.ctx.font = font;
          return Math.max(30, ...(values ?? []).map((text) => u.ctx.measureText(text).width)) + 10;
        },
      }),
    });
    const options: uPlot.Options = {
      width: Math.max(this.element.clientWidth, 120), height: Math.max(this.element.clientHeight, 90), mode: 2,
      legend: { show: false }, padding: [0.7 * em, 1.2 * em, 0, 0],
      cursor: { points: { show: false }, drag: { x: true, y: this.parametric, setScale: false, dist: 4 } },
      scales: Object.fromEntries(Object.keys(ranges).map((key) => [key, { time: false, auto: false, range: () => this.ranges()[key]! }])),
      axes: [axis("x", this.xLabel, 2, true), ...this.units.map((unit, i) => axis(`y ${unit}`, unit === "1" ? "" : unit, i === 0 ? 3 : 1, i === 0))],
      series: [{}, ...this.drawn.map((curve): uPlot.Series => ({
        stroke: curve.color, width: 1.6, dash: curve.dash,
        facets: [{ scale: "x", auto: false }, { scale: `y ${curve.unit}`, auto: false }],
        paths: (u, i) => this.path(u, i),
      }))],
      hooks: { setSelect: [(u) => this.select(u)], draw: [() => this.replace()] },
    };
    const data = [null, ...this.drawn.map(({ xs, ys }) => [xs, ys])] as unknown as uPlot.AlignedData;
    this.chart = new uPlot(options, data, this.element);
    this.dots = this.drawn.map(({ color }) => h("div", { class: "dot", style: `background:${color}` }));
    this.chart.over.append(this.line, ...this.dots);
    this.listen(this.chart);
  }

  private path(u: uPlot, i: number): uPlot.Series.Paths {
    const curve = this.drawn[i - 1]!;
    const sx = u.scales.x!, sy = u.scales[`y ${curve.unit}`]!;
    const { left, top, width, height } = u.bbox;
    const kx = width / (sx.max! - sx.min!), ky = height / (sy.max! - sy.min!);
    const stroke = new Path2D();
    tracePath(stroke, curve.xs, curve.ys, !this.parametric, (x) => left + (x - sx.min!) * kx, (y) => top + (sy.max! - y) * ky, curve.breaks);
    const clip = new Path2D();
    clip.rect(left, top, width, height);
    return { stroke, clip };
  }

  private select(u: uPlot): void {
    const { left, top, width, height } = u.select;
    if (width > 3 || height > 3) {
      const x: Range = [u.posToVal(left, "x"), u.posToVal(left + width, "x")];
      if (this.parametric) {
        const key = `y ${this.units[0]}`;
        this.zoomY = height > 3 ? [u.posToVal(top + height, key), u.posToVal(top, key)] : this.zoomY;
        this.zoom(width > 3 ? x : this.zoomX);
      } else this.onzoom(x);
    }
    u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  private listen(u: uPlot): void {
    let start = { x: 0, y: 0 };
    u.over.addEventListener("pointerdown", (event) => (start = { x: event.clientX, y: event.clientY }));
    u.over.addEventListener("click", (event) => {
      if (Math.hypot(event.clientX - start.x, event.clientY - start.y) > 4) return;
      const box = u.over.getBoundingClientRect();
      this.jump(event.clientX - box.left, event.clientY - box.top);
    });
    u.over.addEventListener("dblclick", () => {
      this.zoomY = null;
      if (this.parametric) this.zoom(null);
      else this.onzoom(null);
    });
  }

  private jump(x: number, y: number): void {
    const u = this.chart!;
    if (!this.parametric) {
      const curve = this.drawn[0]!;
      this.onjump(curve, u.posToVal(x, "x"));
      return;
    }
    let best = Infinity, at = 0, on = this.drawn[0]!;
    for (const curve of this.drawn) {
      for (let i = 0; i < curve.xs.length; i++) {
        const far = Math.hypot(u.valToPos(curve.xs[i]!, "x") - x, u.valToPos(curve.ys[i]!, `y ${curve.unit}`) - y);
        if (far < best) {
          best = far;
          at = i;
          on = curve;
        }
      }
    }
    this.onjump(on, on.track.positionOfFrame(at));
  }

  /** Sets the window in x and draws anew. */
  zoom(range: Range | null): void {
    this.zoomX = range;
    const u = this.chart;
    if (!u) return;
    u.batch(() => {
      for (const [key, [min, max]] of Object.entries(this.ranges())) u.setScale(key, { min, max });
    });
  }

  private positions: number[] = [];

  /** Moves line or dots to where each curve is now; no drawing on the canvas. */
  update(position: (track: Track) => number): void {
    this.positions = this.drawn.map(({ track }) => position(track));
    this.replace();
  }

  private replace(): void {
    const u = this.chart;
    if (!u || this.positions.length !== this.drawn.length || this.positions.length === 0) return;
    const width = u.over.clientWidth, height = u.over.clientHeight;
    if (!this.parametric) {
      const x = u.valToPos(this.drawn[0]!.track.value(this.positions[0]!), "x");
      this.line.hidden = !(x >= -0.5 && x <= width + 0.5);
      this.line.style.transform = `translateX(${x.toFixed(1)}px)`;
    } else this.line.hidden = true;
    this.drawn.forEach((curve, i) => {
      const dot = this.dots[i]!;
      dot.hidden = !this.parametric;
      if (!this.parametric) return;
      const x = u.valToPos(curve.track.sample(curve.xs, this.positions[i]!), "x");
      const y = u.valToPos(curve.track.sample(curve.ys, this.positions[i]!), `y ${curve.unit}`);
      dot.hidden = !(x >= 0 && x <= width && y >= 0 && y <= height);
      dot.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    });
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (this.chart && width > 0 && height > 0 && (width !== this.chart.width || height !== this.chart.height)) this.chart.setSize({ width, height });
  }

  destroy(): void {
    this.observer.disconnect();
    this.chart?.destroy();
  }
}
