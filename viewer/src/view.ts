/** The 3D window: canvas, panes, pointer, labels. It draws when something changed, not all the time. */
import { DirectionalLight, HemisphereLight, Raycaster, Scene, Vector2, Vector3, WebGLRenderer } from "three";
import { Rig, type ViewName } from "./camera";
import { button, formatNumber, h } from "./dom";
import { Grid } from "./grid";
import type { Picked, RunScene } from "./scene";
import { sceneColors } from "./theme";
import { Triad } from "./triad";

export type Layout = "single" | "overlay" | "side";
export interface Shown { scene: RunScene; name: string; color: string; note: string }
/** A body of one of the runs. */
export interface Target { scene: RunScene; body: number }
interface Pane { x: number; y: number; width: number; height: number; shown: Shown[] }

export class View {
  readonly element = h("div", { class: "view" });
  readonly rig: Rig;
  onpick: (picked: Picked | null, run: RunScene) => void = () => {};
  onchange: () => void = () => {};
  private readonly canvas = h("canvas", { tabindex: 0, role: "img", "aria-label": "Animated 3D scene. Drag to turn, drag with the right button to move, wheel to zoom." });
  private readonly labels = h("div", { class: "labels", "aria-hidden": true });
  private readonly hover = h("div", { class: "label hover", hidden: true });
  private readonly selection = h("div", { class: "label selected", hidden: true });
  private readonly scale = h("div", { class: "scale" });
  private readonly triad = new Triad();
  private readonly renderer: WebGLRenderer | null;
  private readonly world = new Scene();
  private readonly sky = new HemisphereLight(0xffffff, 0x5b6470, 1.75);
  private readonly lamp = new DirectionalLight(0xffffff, 2.2);
  private readonly grid: Grid;
  private points: Float64Array;
  private readonly ray = new Raycaster();
  private readonly scratch = new Float64Array(3);
  private readonly vector = new Vector3();
  private panes: Pane[] = [];
  private shown: Shown[] = [];
  private layout: Layout = "single";
  private selected: Target | null = null;
  /** What the camera moves with: a body, or the middle of a model that travels far. */
  private follow: { middle: (out: Float64Array) => void; target: Target | null; last: Vector3 | null } | null = null;
  /** The middle of a model that travels far, at first. */
  private start: Vector3 | null = null;
  private width = 1;
  private height = 1;
  private fitted = false;
  private ghost: RunScene | null = null;
  private readonly observer = new ResizeObserver(() => this.resize());
  dirty = true;

  constructor(private readonly scenes: RunScene[]) {
    const { up, length } = scenes[0]!.scene;
    this.rig = new Rig(up);
    const extents = scenes.map((scene) => scene.extent());
    this.points = new Float64Array(extents.reduce((sum, part) => sum + part.length, 0));
    extents.reduce((at, part) => (this.points.set(part, at), at + part.length), 0);
    const first = scenes[0]!, near = first.travel();
    if (near) {
      this.points = near;
      this.follow = this.wholeModel();
      this.start = this.followed();
    }
    this.grid = new Grid(up, this.held(), length);
    this.sky.position.set(...up);
    this.world.add(this.sky, this.lamp, this.lamp.target, this.grid.object, ...scenes.map(({ object }) => object));
    this.element.append(this.canvas, this.labels, this.triad.element, this.scale);
    this.labels.append(this.hover, this.selection);
    this.renderer = this.makeRenderer();
    this.rig.lookAtBest(this.points);
    this.paint();
    this.listen();
    this.observer.observe(this.element);
  }

  private makeRenderer(): WebGLRenderer | null {
    try {
      const renderer = new WebGLRenderer({ canvas: this.canvas, antialias: true, powerPreference: "high-performance" });
      renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
      renderer.setScissorTest(true);
      renderer.info.autoReset = false;
      this.canvas.addEventListener("webglcontextrestored", () => this.invalidate());
      return renderer;
    } catch {
      this.element.append(h("p", { class: "nogl" }, "This browser cannot draw 3D here (WebGL is not available). Plots and audit work without it."));
      return null;
    }
  }

  get drawCalls(): number {
    return this.renderer?.info.render.calls ?? 0;
  }

  invalidate(): void {
    this.dirty = true;
    this.onchange();
  }

  /** Chooses what to draw: one run, several over each other, or a pane for each. */
  show(shown: Shown[], layout: Layout): void {
    this.shown = shown;
    this.layout = layout;
    this.arrange();
  }

  /** Draws a scene beneath the run that is looked at, which nobody can pick; none takes it away. */
  setGhost(ghost: RunScene | null): void {
    if (ghost === this.ghost) return;
    if (this.ghost) this.world.remove(this.ghost.object);
    if (ghost) this.world.add(ghost.object);
    this.ghost = ghost;
    this.invalidate();
  }

  get hasGhost(): boolean {
    return this.ghost !== null;
  }

  private arrange(): void {
    const side = this.layout === "side" && this.shown.length > 1;
    const n = side ? this.shown.length : 1;
    const columns = Math.max(1, Math.min(n, Math.round(Math.sqrt((n * this.width) / this.height)) || 1));
    const rows = Math.ceil(n / columns);
    const width = this.width / columns, height = this.height / rows;
    this.panes = Array.from({ length: n }, (_, i) => ({
      x: (i % columns) * width, y: Math.floor(i / columns) * height, width, height,
      shown: side ? [this.shown[i]!] : this.shown,
    }));
    this.labels.querySelectorAll(".pane-name").forEach((name) => name.remove());
    if (this.shown.length > 1) {
      this.panes.forEach((pane) => {
        const names = h("div", { class: "pane-name" }, ...pane.shown.map(({ name, color, note }) => h("div", {}, h("span", { style: `--run: ${color}` }, name), note ? h("small", {}, note) : null)));
        names.style.maxWidth = `calc(${pane.width}px - 1.6em)`;
        names.style.transform = `translate(${pane.x}px, ${pane.y}px)`;
        this.labels.append(names);
      });
    }
    this.invalidate();
  }

  private resize(): void {
    this.width = Math.max(1, this.element.clientWidth);
    this.height = Math.max(1, this.element.clientHeight);
    this.renderer?.setSize(this.width, this.height, false);
    this.arrange();
    if (!this.fitted) this.rig.fit(this.held(), this.aspect);
    this.fitted = true;
    this.render();
  }

  private get aspect(): number {
    const pane = this.panes[0];
    return pane ? pane.width / pane.height : this.width / this.height;
  }

  /** Keeps the camera of an earlier page instead of fitting. */
  keep(): void {
    this.fitted = true;
    if (this.follow) this.follow.last = null;
  }

  private wholeModel(): View["follow"] {
    return { middle: (out) => this.scenes[0]!.middle(out), target: null, last: null };
  }

  /** Where that is which the camera follows. */
  private followed(): Vector3 {
    this.follow?.middle(this.scratch);
    return new Vector3(...this.scratch);
  }

  /** What the picture must hold now. */
  private held(): Float64Array {
    if (!this.start) return this.points;
    if (this.follow) this.follow.last = this.followed();
    this.scenes[0]!.middle(this.scratch);
    return this.points.map((x, i) => x + this.scratch[i % 3]!);
  }

  fit(): void {
    this.rig.glide(() => this.rig.fit(this.held(), this.aspect));
    this.invalidate();
  }

  look(view: ViewName | "best"): void {
    this.rig.glide(() => {
      if (view === "best") this.rig.lookAtBest(this.points);
      else this.rig.look(view);
      this.rig.fit(this.held(), this.aspect);
    });
    this.invalidate();
  }

  toggleProjection(): void {
    this.rig.orthographic = !this.rig.orthographic;
    this.invalidate();
  }

  select(target: Target | null): void {
    this.selected = target;
    if (target) this.selection.textContent = target.scene.scene.bodies[target.body]!.name;
    const followed = this.follow?.target;
    if (followed && (followed.scene !== target?.scene || followed.body !== target.body)) this.setFollow(false);
    this.invalidate();
  }

  setFollow(on: boolean): void {
    const target = on ? this.selected : null;
    if (target) this.follow = { middle: (out) => target.scene.centre(target.body, out), target, last: null };
    else this.follow = this.start ? this.wholeModel() : null;
  }

  /** The note in the corner: the grid's spacing and what else the reader should know about the picture. */
  setGrid(on: boolean, note: string): void {
    this.grid.object.visible = on;
    this.scale.textContent = [on ? `grid ${formatNumber(this.grid.spacing)} m` : "", note].filter(Boolean).join(" · ");
    this.invalidate();
  }

  paint(): void {
    const colors = sceneColors();
    this.renderer?.setClearColor(colors.background);
    this.grid.paint(colors.grid, 0.55);
    this.invalidate();
  }

  render(): void {
    this.dirty = false;
    if (this.follow) {
      const here = this.followed();
      if (this.follow.last) this.rig.target.add(here).sub(this.follow.last);
      this.follow.last = here;
      if (this.start) this.grid.follow(this.vector.copy(here).sub(this.start));
    }
    const { renderer, rig } = this;
    this.lamp.target.position.copy(rig.target);
    this.lamp.position.copy(rig.target).addScaledVector(rig.x, -0.55 * rig.distance).addScaledVector(rig.y, rig.distance).addScaledVector(rig.z, 0.55 * rig.distance);
    renderer?.info.reset();
    for (const pane of this.panes) {
      for (const scene of this.scenes) scene.object.visible = pane.shown.some((item) => item.scene === scene);
      if (this.ghost) this.ghost.object.visible = pane.shown[0]?.scene === this.shown[0]?.scene;
      const camera = rig.camera(pane.width / pane.height);
      if (!renderer) continue;
      renderer.setViewport(pane.x, this.height - pane.y - pane.height, pane.width, pane.height);
      renderer.setScissor(pane.x, this.height - pane.y - pane.height, pane.width, pane.height);
      renderer.render(this.world, camera);
    }
    this.triad.update(rig);
    const { selected } = this;
    const pane = this.panes.find(({ shown }) => shown.some(({ scene }) => scene === selected?.scene));
    this.selection.hidden = !pane;
    if (selected && pane) {
      selected.scene.centre(selected.body, this.scratch);
      this.vector.set(...(this.scratch as unknown as [number, number, number])).project(rig.camera(pane.width / pane.height));
      const x = pane.x + (this.vector.x * 0.5 + 0.5) * pane.width, y = pane.y + (0.5 - this.vector.y * 0.5) * pane.height;
      this.selection.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
    }
  }

  /** The picture as an address, for printing. */
  picture(): string {
    this.render();
    return this.renderer ? this.canvas.toDataURL("image/png") : "";
  }

  dispose(): void {
    this.observer.disconnect();
    for (const scene of this.scenes) scene.dispose();
    this.renderer?.dispose();
    this.renderer?.forceContextLoss();
  }

  private pick(x: number, y: number): { picked: Picked | null; run: RunScene } {
    const pane = this.panes.find((item) => x >= item.x && x < item.x + item.width && y >= item.y && y < item.y + item.height) ?? this.panes[0]!;
    const at = new Vector2(((x - pane.x) / pane.width) * 2 - 1, 1 - ((y - pane.y) / pane.height) * 2);
    this.ray.setFromCamera(at, this.rig.camera(pane.width / pane.height));
    // A ghost gives way to the run that is looked at.
    for (const { scene, name } of pane.shown) {
      const picked = scene.pick(this.ray);
      if (picked) return { picked: scene === this.shown[0]!.scene ? picked : { ...picked, label: `${picked.label} · ${name}` }, run: scene };
    }
    return { picked: null, run: pane.shown[0]!.scene };
  }

  private listen(): void {
    const { canvas, rig } = this;
    const pointers = new Map<number, { x: number; y: number }>();
    let travelled = 0;
    const place = (event: PointerEvent | WheelEvent | MouseEvent): { x: number; y: number } => {
      const box = canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, place(event));
      canvas.setPointerCapture(event.pointerId);
      travelled = pointers.size > 1 ? 100 : 0;
      this.hover.hidden = true;
    });
    canvas.addEventListener("pointermove", (event) => {
      const last = pointers.get(event.pointerId);
      const now = place(event);
      if (!last) {
        this.pointAt(now.x, now.y);
        return;
      }
      const dx = now.x - last.x, dy = now.y - last.y;
      travelled += Math.abs(dx) + Math.abs(dy);
      if (pointers.size === 2) {
        const other = [...pointers].find(([id]) => id !== event.pointerId)![1];
        const before = Math.hypot(last.x - other.x, last.y - other.y), after = Math.hypot(now.x - other.x, now.y - other.y);
        if (before > 0 && after > 0) rig.zoom(before / after);
        rig.pan(dx / 2 / this.height, dy / 2 / this.height);
      } else if (event.buttons & 6 || event.shiftKey || event.ctrlKey) rig.pan(dx / this.height, dy / this.height);
      else rig.orbit(dx * 0.008, dy * 0.008);
      pointers.set(event.pointerId, now);
      this.invalidate();
    });
    const release = (event: PointerEvent): void => {
      if (!pointers.delete(event.pointerId)) return;
      if (event.type === "pointerup" && travelled < 5 && event.button === 0) {
        const { x, y } = place(event);
        const { picked, run } = this.pick(x, y);
        this.onpick(picked, run);
      }
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("pointerleave", () => (this.hover.hidden = true));
    canvas.addEventListener("dblclick", () => this.fit());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const { x, y } = place(event);
      const step = event.deltaMode === 1 ? event.deltaY * 30 : event.deltaY;
      rig.zoom(Math.exp(Math.min(Math.max(step, -200), 200) * 0.0015), (x - this.width / 2) / this.height, (this.height / 2 - y) / this.height);
      this.invalidate();
    }, { passive: false });
  }

  private pointAt(x: number, y: number): void {
    if (this.panes.length === 0 || this.shown.length === 0) return;
    const { picked } = this.pick(x, y);
    this.hover.hidden = picked === null;
    this.canvas.style.cursor = picked?.body !== null && picked ? "pointer" : "";
    if (!picked) return;
    this.hover.textContent = picked.label;
    this.hover.style.transform = `translate(${x}px, ${y}px)`;
  }

  /** Standard views and projection, for the toolbar. */
  controls(): HTMLElement[] {
    const names: [ViewName | "best", string, string][] = [
      ["front", "Front", "1"], ["back", "Back", "2"], ["left", "Left", "3"], ["right", "Right", "4"], ["top", "Top", "5"], ["bottom", "Bottom", "6"], ["best", "Start", "0"],
    ];
    return names.map(([view, label, key]) => button(label, `${label} view (${key})`, () => this.look(view)));
  }
}
