/** The page: puts scene, timeline, plots and words together and moves them with one clock. */
import { auditPanel, auditTable, mark, worst } from "./audit";
import type { CameraState } from "./camera";
import { baseRate, Clock } from "./clock";
import type { Payload, Run } from "./data";
import { button, type Child, closePopovers, h, popover, reducedMotion, withUnit } from "./dom";
import { colorBar, displayPanel, fieldBar } from "./display";
import { logPanel, sourcePanel, summaryPanel } from "./document";
import { helpDialog } from "./help";
import { icon } from "./icons";
import { Inspector } from "./inspector";
import { listenKeys } from "./keys";
import { allBodies, bodiesTable, difference } from "./matching";
import { modeTitle, Modes } from "./modes";
import { PathPoints } from "./path";
import { Plots } from "./plots";
import { DISPLAY, type Display, RunScene } from "./scene";
import { paletteOf } from "./shapes";
import { type PlotSpec, trackOf } from "./signals";
import { Tabs } from "./tabs";
import { onTheme, runColor, sceneColors, setTheme, type Theme, theme } from "./theme";
import { rateText, Timeline } from "./timeline";
import { Track } from "./track";
import { type Layout, type Target, View } from "./view";

/** What survives when the results are read again. */
export interface Saved {
  run: string; layout: Layout; tab: string; position: number; playing: boolean; speed: number; loop: boolean;
  camera: CameraState | null; display: Display; plots: PlotSpec[] | null; mode: number | null; selected: string | null; traces: string[];
}

const STUDIES: Record<string, string> = {
  motion: "Motion", kinematics: "Kinematics", equilibrium: "Equilibrium", modes: "Modes", linearize: "Linearization",
  path: "Load path", buckling: "Buckling", campbell: "Campbell diagram",
};
const STATUS = { completed: ["good", "completed"], interrupted: ["doubtful", "interrupted"], failed: ["bad", "failed"] } as const;
const THEMES: Record<Theme, { next: Theme; word: string }> = {
  system: { next: "light", word: "as the system" },
  light: { next: "dark", word: "light" },
  dark: { next: "system", word: "dark" },
};

export class App {
  private readonly life = new AbortController();
  private readonly clock = new Clock();
  private readonly timeline = new Timeline(this.clock);
  private readonly scenes: (RunScene | null)[];
  private readonly view: View | null;
  /** The run once more, in its first frame: what an equilibrium or a path moved away from. */
  private readonly ghost: RunScene | null;
  private readonly inspector = new Inspector();
  private readonly plots: Plots | null;
  private readonly modes: Modes | null;
  private readonly path: PathPoints | null;
  private readonly display: Display;
  private readonly help = helpDialog();
  private readonly overlay = h("div", { class: "overlay" });
  private readonly head = h("header", {});
  private readonly banner = h("div", { class: "banners", "aria-live": "polite" });
  private readonly auditBox = h("div", {});
  private readonly summaryBox = h("div", {});
  private readonly sourceBox = h("div", {});
  private readonly logBox = h("div", {});
  private readonly tabs: Tabs;
  private readonly track: Track;
  /** What can be selected by name: bodies of all runs, those of the active run first, and ends of its beams. */
  private readonly choices: { name: string; label: string }[];
  private active: number;
  private layout: Layout;
  private scheduled = false;
  private lastTick = 0;

  constructor(private readonly root: HTMLElement, private readonly payload: Payload, private readonly earlier: Saved | null) {
    const { runs } = payload;
    const saved = earlier;
    this.active = Math.max(0, runs.findIndex(({ name }) => name === saved?.run));
    this.layout = runs.length < 2 ? "single" : (saved?.layout ?? "overlay");
    this.display = saved?.display ?? { ...DISPLAY };
    const run = this.run;
    // A single frame (modes, a Campbell diagram) leaves the timeline to the signals.
    this.track = run.frames && (run.frames.count > 1 || !run.signals) ? new Track(run.frames.axis) : trackOf(run.signals?.axis ?? new Float64Array(1));
    this.choices = [
      ...allBodies([run, ...runs]).map((name) => ({ name, label: run.scene?.bodies.some((body) => body.name === name) ? name : `${name} (other run)` })),
      ...(run.scene?.beams ?? []).map(({ name, nodes }) => ({ name: run.scene!.bodies[nodes.at(-1)!]!.name, label: `end of ${name}` })),
    ];
    const palette = paletteOf(runs.flatMap(({ scene }) => scene ?? []));
    this.scenes = runs.map((item) => {
      if (!item.scene || !item.frames || item.scene.bodies.length === 0) return null;
      try {
        return new RunScene(item, palette);
      } catch (error) {
        item.damage.push(`the scene: it cannot be drawn (${(error as Error).message})`);
        return null;
      }
    });
    const drawable = this.scenes.filter((scene) => scene !== null);
    this.view = this.scenes[this.active] ? new View([this.scenes[this.active]!, ...drawable.filter((scene) => scene !== this.scenes[this.active])]) : null;
    this.ghost = this.view && this.scene?.has.start ? new RunScene(run, palette) : null;
    this.plots = runs.some(({ signals, energy, diagrams }) => signals?.list.length || energy || diagrams.length) ? new Plots(saved?.plots ?? null, run) : null;
    this.modes = run.modes.length > 0 ? new Modes(run) : null;
    if (this.modes && saved && saved.mode !== undefined) this.modes.chosen = saved.mode;

    this.path = run.study === "path" && run.signals?.list.length ? new PathPoints(run) : null;

    const worstCheck = worst(run.checks);
    this.tabs = new Tabs([
      ...(this.modes ? [{ id: "modes", label: "Modes", content: this.modes.element }] : []),
      ...(this.plots ? [{ id: "plots", label: run.signals?.axis.length === 1 && run.diagrams.length === 0 ? "Values" : "Plots", content: this.plots.element }] : []),
      ...(this.path ? [{ id: "path", label: "Points", content: this.path.element }] : []),
      { id: "audit", label: "Audit", content: this.auditBox, badge: worstCheck ? h("i", { class: `pip ${worstCheck.state}` }) : undefined },
      { id: "summary", label: "Model", content: this.summaryBox },
      ...(run.source?.text ? [{ id: "source", label: "Source", content: this.sourceBox }] : []),
      ...(run.text ? [{ id: "log", label: "Log", content: this.logBox }] : []),
    ], saved?.tab ?? (run.study === "campbell" ? "plots" : undefined), () => this.invalidate());

    this.lay();
    this.wire();
    if (saved) {
      this.clock.speed = saved.speed;
      this.clock.loop = saved.loop;
      if (this.view && saved.camera) {
        this.view.rig.state = saved.camera;
        this.view.keep();
      }
    }
    // An equilibrium is looked at where it is, beside the shadow of where it began.
    const ends = run.study === "equilibrium";
    this.clock.position = saved?.position ?? (ends ? this.track.end : this.track.start);
    this.fillHead();
    this.fillWords();
    this.setRuler();
    this.arrange();
    for (const body of saved?.traces ?? []) this.trace(body, true);
    if (saved?.selected) this.select(saved.selected);
    this.clock.play(saved ? saved.playing : !reducedMotion() && this.view !== null && !ends);
    this.timeline.refresh();
    this.invalidate();
  }

  private get run(): Run {
    return this.payload.runs[this.active]!;
  }

  private get scene(): RunScene | null {
    return this.scenes[this.active]!;
  }

  /** What this page cannot show at the moment (a damaged result) is kept from the page before it. */
  get saved(): Saved {
    const { earlier } = this;
    return {
      run: this.run.name, layout: this.layout, tab: this.tabs.current, position: this.clock.position, playing: this.clock.playing,
      speed: this.clock.speed, loop: this.clock.loop, camera: this.view?.rig.state ?? earlier?.camera ?? null, display: this.display, plots: this.plots?.specs ?? earlier?.plots ?? null,
      mode: this.modes?.chosen ?? null, selected: this.view ? this.selected : (earlier?.selected ?? null), traces: this.view ? this.traced : (earlier?.traces ?? []),
    };
  }

  private get selected(): string | null {
    const { target } = this.inspector;
    return target && target.scene.scene.bodies[target.body]!.name;
  }

  private get traced(): string[] {
    return [...new Set(this.scenes.flatMap((scene) => scene?.traces.traced.map((body) => scene.scene.bodies[body]!.name) ?? []))];
  }

  /** The body of a name, in the active run if it has one. */
  private find(name: string | null): Target | null {
    for (const scene of [this.scene, ...this.scenes]) {
      const body = scene?.find(name) ?? null;
      if (scene && body !== null) return { scene, body };
    }
    return null;
  }

  /** The page's skeleton: scene with timeline on one side, words and plots on the other. */
  private lay(): void {
    const stage = h("main", { class: "stage", "aria-label": "Scene" });
    if (this.view) {
      stage.append(h("div", { class: "scene" }, this.view.element, this.toolbar(), this.inspector.element, this.overlay), this.timeline.element);
    } else if (this.track.end > this.track.start) stage.append(this.timeline.element);
    const split = h("div", { class: "split", role: "separator", "aria-orientation": "vertical", "aria-label": "Width of the scene", tabindex: 0 });
    this.splitter(split);
    const print = h("img", { class: "print-picture", alt: "" });
    this.root.replaceChildren(this.head, this.banner,
      h("div", { class: this.view ? "body" : "body no-scene" }, stage, this.view ? split : h("span", { hidden: true }), this.tabs.element), print, this.help);
    addEventListener("beforeprint", () => {
      if (this.view) print.src = this.view.picture();
    }, { signal: this.life.signal });
  }

  private splitter(split: HTMLElement): void {
    const set = (share: number): void => {
      this.root.style.setProperty("--share", `${(100 * Math.min(Math.max(share, 0.2), 0.8)).toFixed(1)}%`);
    };
    let share = 0.58;
    split.addEventListener("pointerdown", (event) => split.setPointerCapture(event.pointerId));
    split.addEventListener("pointermove", (event) => {
      if (split.hasPointerCapture(event.pointerId)) set((share = event.clientX / innerWidth));
    });
    split.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      event.stopPropagation();
      set((share += event.key === "ArrowLeft" ? -0.03 : 0.03));
    });
  }

  private toolbar(): HTMLElement {
    const view = this.view!, scene = this.scene!;
    const projection = button("Persp", "Perspective or parallel (o)", () => this.toggleProjection(), "projection");
    const bodies = h("select", { "aria-label": "Select a body", class: "body-choice" }, h("option", { value: "" }, "Body …"),
      ...this.choices.map(({ label }, i) => h("option", { value: i }, label)));
    bodies.addEventListener("change", () => this.select(this.choices[Number(bodies.value || -1)]?.name ?? null));
    return h("div", { class: "toolbar", role: "toolbar", "aria-label": "View" },
      button("Fit", "Fit the view (f)", () => view.fit()), popover("Views", "Standard views", ...view.controls()), projection,
      displayPanel(this.display, scene, () => this.applyDisplay()), bodies);
  }

  private toggleProjection(): void {
    this.view?.toggleProjection();
    const label = this.root.querySelector(".projection");
    if (label) label.textContent = this.view?.rig.orthographic ? "Parallel" : "Persp";
  }

  private wire(): void {
    const { view, timeline, plots, modes, inspector, clock } = this;
    const { signal } = this.life;
    timeline.onjump = (position) => this.jump(position);
    timeline.onplay = () => this.invalidate();
    if (view) {
      view.onchange = () => this.invalidate();
      view.onpick = (picked, { scene }) => this.select(picked && picked.body !== null ? scene.bodies[picked.body]!.name : null);
    }
    if (plots) {
      plots.onjump = (position, track) => {
        if (!modes?.mode) this.jump(this.track.follow(track, position));
      };
    }
    if (modes) {
      modes.onchange = () => {
        this.setRuler();
        this.applyDisplay();
      };
    }
    if (this.path) this.path.onjump = (position, track) => this.jump(this.track.follow(track, position));
    inspector.onclose = () => this.select(null);
    inspector.ontrace = (on) => this.trace(this.selected!, on);
    inspector.onfollow = (on) => view?.setFollow(on);
    onTheme(() => {
      for (const scene of this.scenes) scene?.paint();
      view?.paint();
      this.fillHead();
      this.arrange(); // plots take their colours anew there
    }, signal);
    document.addEventListener("pointerdown", (event) => closePopovers(event.target as Node), { signal });
    const look = (name: Parameters<View["look"]>[0]) => (): void => view?.look(name);
    const zoom = (factor: number) => (): void => {
      view?.rig.zoom(factor);
      view?.invalidate();
    };
    listenKeys({
      " ": () => timeline.toggle(),
      ArrowLeft: (event) => timeline.step(event.shiftKey ? -10 : -1), ArrowRight: (event) => timeline.step(event.shiftKey ? 10 : 1),
      ArrowUp: () => (modes ?? this.path)?.step(-1), ArrowDown: () => (modes ?? this.path)?.step(1),
      Home: () => this.jump(clock.start), End: () => this.jump(clock.end),
      "[": () => timeline.changeSpeed(-1), "]": () => timeline.changeSpeed(1), l: () => timeline.toggleLoop(),
      f: () => view?.fit(), o: () => this.toggleProjection(),
      0: look("best"), 1: look("front"), 2: look("back"), 3: look("left"), 4: look("right"), 5: look("top"), 6: look("bottom"),
      "+": zoom(0.85), "=": zoom(0.85), "-": zoom(1 / 0.85),
      t: () => setTheme(THEMES[theme()].next), "?": () => this.help.showModal(),
      Escape: () => {
        if (!closePopovers(null)) this.select(null);
      },
    }, signal);
  }

  private fillHead(): void {
    const { run } = this;
    const { runs, live } = this.payload;
    const [state, word] = STATUS[run.status];
    const found = worst(run.checks);
    const audit = found && h("button", { type: "button", class: "chip-button", title: "Open the audit", onclick: () => this.tabs.show("audit") }, mark(found.state, found.text));
    const look = THEMES[theme()];
    document.title = `${run.name} – Poinsot`;
    const compare: Child[] = [];
    if (runs.length > 1) {
      const choice = h("select", { "aria-label": "Run", class: "run-choice" }, ...runs.map(({ name }, i) => h("option", { value: i }, name)));
      choice.value = String(this.active);
      choice.addEventListener("change", () => this.switchRun(Number(choice.value)));
      const layouts: [Layout, string][] = [["single", "Single"], ["overlay", "Overlay"], ["side", "Side by side"]];
      compare.push(choice, h("div", { class: "segments", role: "group", "aria-label": "Comparison" }, ...layouts.map(([layout, label]) => {
        const item = button(label, `Compare runs: ${label.toLowerCase()}`, () => this.setLayout(layout));
        item.setAttribute("aria-pressed", String(layout === this.layout));
        return item;
      })));
    }
    this.head.replaceChildren(
      h("div", { class: "title" }, h("span", { class: "brand" }, "Poinsot"), h("h1", { title: run.name }, run.scene?.name || run.name), h("span", { class: "study" }, STUDIES[run.study] ?? run.study)),
      h("div", { class: "facts" }, mark(state, word), audit, live ? h("span", { class: "live", title: "The page follows the results as they change" }, "live") : null, ...compare.filter((item) => item instanceof Node)),
      h("div", { class: "tools" },
        button(icon(theme()), `Theme: ${look.word} (t)`, () => setTheme(look.next), "quiet theme"),
        button("?", "Help (?)", () => this.help.showModal(), "quiet")));
  }

  private fillWords(): void {
    const { run } = this;
    const several = this.payload.runs.length > 1;
    const damaged = this.payload.runs.filter(({ damage }) => damage.length > 0);
    this.banner.replaceChildren(...damaged.map(({ name, damage }) => h("div", { class: "banner doubtful damage", role: "status" },
      h("b", {}, `Damaged and left out${several ? ` in ${name}` : ""}:`), h("span", {}, damage.slice(0, 5).join("; "), damage.length > 5 ? `; and ${damage.length - 5} more` : "", "."),
      h("span", {}, "The rest is shown. Run the study again to have all of it."))), ...(run.status !== "completed" || run.message ? [
      h("div", { class: `banner ${STATUS[run.status][0]}`, role: "status" },
        said(run.message ?? `The run was ${STATUS[run.status][1]}.`), run.remedy ? h("span", {}, run.remedy) : null)] : []));
    const bodies = bodiesTable(this.payload.runs.filter(({ scene }) => scene));
    this.auditBox.replaceChildren(...(several ? [h("h2", {}, "All runs"), auditTable(this.payload.runs), ...(bodies ? [h("h2", {}, "Bodies that not all runs have"), bodies] : []), h("h2", {}, run.name)] : []), auditPanel(run, (at) => this.jump(this.track.positionOf(at))));
    this.summaryBox.replaceChildren(summaryPanel(run));
    if (run.source) this.sourceBox.replaceChildren(h("div", { class: "file-name" }, run.source.name), sourcePanel(run.source.text));
    this.logBox.replaceChildren(logPanel(run.text));
  }

  /** Names what the timeline runs over. */
  private setRuler(): void {
    const { clock, run, track } = this;
    const { name, unit } = run.axis;
    const mode = this.modes?.mode ?? null;
    if (mode) {
      clock.setSpan(0, 1, 0.5);
      this.timeline.setRuler({
        label: (position) => `${modeTitle(mode)} · ${Math.round(position * 360)}°`,
        rate: (speed) => `${(0.5 * speed).toPrecision(2)} turns/s`,
        step: (position, by) => Math.min(Math.max(Math.round(position * 36 + by) / 36, 0), 1),
      }, []);
      return;
    }
    let { start, end } = track;
    if (track.byValue && this.layout !== "single") {
      for (const scene of this.scenes) {
        if (!scene?.track.byValue) continue;
        start = Math.min(start, scene.track.start);
        end = Math.max(end, scene.track.end);
      }
    }
    const isTime = unit === "s" && track.byValue;
    const rate = baseRate(end - start, isTime) * (end - start <= 1 && !track.byValue ? 5 : 1);
    clock.setSpan(start, end, rate);
    const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(Math.max(end - start, 1e-9)))));
    const points = this.path && run.signals ? trackOf(run.signals.axis) : null;
    const pointNote = (position: number): string => (points ? ` · ${this.path!.describe(points.follow(track, position))}`.replace(/ · $/, "") : "");
    this.timeline.setRuler({
      label: (position) => (track.byValue ? `${name} = ${position.toFixed(digits)}${unit && unit !== "1" ? ` ${unit}` : ""}` : `${name} = ${withUnit(track.value(position), unit)} · ${Math.round(position) + 1}/${track.axis.length}`) + pointNote(position),
      rate: (speed) => (track.byValue ? rateText(rate * speed, unit) : `${(rate * speed).toPrecision(2)} frames/s`),
      step: (position, by) => track.step(position, by),
    }, run.checks.filter(({ at }) => at !== undefined).map((check) => ({ check, position: track.positionOf(check.at!) })));
  }

  private setLayout(layout: Layout): void {
    this.layout = layout;
    this.fillHead();
    this.setRuler();
    this.arrange();
  }

  /** Changing the run rebuilds the page around it and keeps camera, time and plots. */
  private switchRun(index: number): void {
    const { saved, payload, root } = this;
    this.dispose();
    start(root, payload, { ...saved, run: payload.runs[index]!.name, mode: null });
  }

  private arrange(): void {
    const { runs } = this.payload;
    const order = this.layout === "single" ? [this.active] : [this.active, ...runs.map((_, i) => i).filter((i) => i !== this.active)];
    if (this.view) {
      const shown = order.flatMap((i) => {
        const scene = this.scenes[i];
        const note = i === this.active ? "" : difference(runs[i]!, this.run);
        return scene ? [{ scene, name: runs[i]!.name, color: runColor(i), note }] : [];
      });
      const overlaid = this.layout === "overlay" && shown.length > 1;
      for (const { scene, color } of shown) scene.setTint(overlaid ? color : null, overlaid && scene !== this.scene);
      this.view.show(shown, this.layout);
      this.applyDisplay();
    }
    this.plots?.setRuns(order.map((index) => ({ run: runs[index]!, index })));
    this.invalidate();
  }

  private applyDisplay(): void {
    const { display, view } = this;
    if (!view) return;
    const mode = this.modes?.mode ?? null;
    const ranges = this.scenes.flatMap((scene) => scene?.range(display.resultant) ?? []);
    const range: [number, number] | null = ranges.length > 0 && !mode ? [Math.min(...ranges), Math.max(...ranges)] : null;
    const largest = mode || !display.field ? 0 : Math.max(0, ...this.scenes.map((scene) => scene?.largestField(display.field) ?? 0));
    this.scenes.forEach((scene, i) => {
      // Other runs show the mode of the same place in the list.
      scene?.showMode(mode ? (this.payload.runs[i]!.modes[this.modes!.chosen!] ?? null) : null, this.modes?.amplitude ?? 0);
      scene?.setDisplay(display, range, largest);
    });
    this.ghost?.setTint(sceneColors().shadow, true);
    this.ghost?.setDisplay(display, null, 0);
    this.ghost?.update(this.track.start);
    const kept = this.run.kept.frames;
    const notes = [kept && kept[0] < kept[1] ? `${kept[0]} of ${kept[1]} frames` : "", this.scene?.has.start && display.exaggeration !== 1 ? `displacements ${display.exaggeration} ×` : ""];
    view.setGrid(display.grid, notes.filter(Boolean).join(" · "));
    const bars = [colorBar(display.resultant, range), fieldBar(display.field, largest)];
    this.overlay.replaceChildren(...bars.filter((bar) => bar !== null));
    this.move();
  }

  private select(name: string | null): void {
    const { scene } = this;
    if (!scene || !this.view) return;
    const target = this.find(name);
    for (const item of this.scenes) item?.select(item.find(name));
    this.view.select(target);
    const traced = target !== null && this.traced.includes(name!);
    const trace = target !== null && !traced && !this.modes?.mode;
    if (trace) this.trace(name!, true);
    const missing = this.payload.runs.filter((run, i) => target && run.scene && this.scenes[i]?.find(name) === null).map((run) => run.name);
    this.inspector.show(target, missing.length > 0 ? `not in ${missing.join(", ")}` : "", this.run.axis.unit === "s" && !this.modes?.mode, traced || trace);
    const choice = this.root.querySelector<HTMLSelectElement>(".body-choice");
    const chosen = target ? this.choices.findIndex((item) => item.name === name) : -1;
    if (choice) choice.value = chosen < 0 ? "" : String(chosen);
  }

  private trace(name: string, on: boolean): void {
    for (const scene of this.scenes) {
      const body = scene?.find(name) ?? null;
      if (body !== null) scene!.trace(body, on);
    }
    this.view?.invalidate();
  }

  /** A jump by hand stops the playback: the reader wants to look. */
  jump(position: number): void {
    this.clock.play(false);
    this.clock.jump(position);
    this.move();
    this.timeline.refresh();
    this.invalidate();
  }

  /** Brings the scenes to the clock's position. */
  private move(): void {
    const { position } = this.clock;
    for (const scene of this.scenes) {
      if (!scene || (this.layout === "single" && scene !== this.scene)) continue;
      scene.update(scene === this.scene || this.modes?.mode ? position : scene.track.follow(this.track, position));
    }
    if (!this.view) return;
    // Where nothing has moved yet there is nothing to compare.
    this.view.setGhost(this.display.start && position > this.track.start ? this.ghost : null);
    this.view.dirty = true;
  }

  private invalidate(): void {
    if (this.scheduled || this.life.signal.aborted) return;
    this.scheduled = true;
    requestAnimationFrame((now) => this.tick(now));
  }

  /** One frame: advance, move, draw; it asks for the next only while something moves. */
  private tick(now: number): void {
    this.scheduled = false;
    if (this.life.signal.aborted) return;
    const seconds = this.lastTick > 0 ? Math.min((now - this.lastTick) / 1000, 0.25) : 0;
    const { clock, view } = this;
    if (clock.playing) {
      clock.advance(seconds);
      this.move();
    }
    const gliding = view?.rig.advance(seconds) ?? false;
    if (view && (view.dirty || gliding)) view.render();
    this.timeline.update();
    const own = this.track;
    const mode = this.modes?.mode ?? null;
    this.plots?.update((track) => (mode ? track.start : track.follow(own, clock.position)), clock.playing ? now : 0);
    this.path?.update((track) => track.follow(own, clock.position));
    this.inspector.update(clock.playing ? now : 0);
    this.lastTick = clock.playing || gliding ? now : 0;
    if (clock.playing || gliding) this.invalidate();
  }

  /** For tests and curious readers. */
  get hook(): object {
    return {
      time: () => this.clock.position,
      setTime: (position: number) => this.jump(position),
      playing: () => this.clock.playing,
      bodyPosition: (i: number, run = this.active) => Array.from(this.scenes[run]?.instant.poses.subarray(i * 7, i * 7 + 3) ?? []),
      selected: () => this.scenes.map((scene) => scene?.selectedName ?? null),
      frames: this.run.frames?.count ?? 0,
      drawCalls: () => this.view?.drawCalls ?? 0,
      ghost: () => this.view?.hasGhost ?? false,
      looksAt: () => this.view?.rig.target.toArray() ?? [],
    };
  }

  dispose(): void {
    this.life.abort();
    this.plots?.destroy();
    this.view?.dispose();
    this.ghost?.dispose();
  }
}

/** A message; one of several lines points at places in a file and keeps its columns. */
const said = (text: string): HTMLElement => (text.includes("\n") ? h("pre", { class: "diagnostic", tabindex: 0 }, text.trimEnd()) : h("b", {}, text));

let current: App | null = null;

/** Builds the page; an earlier one must be disposed of. */
export function start(root: HTMLElement, payload: Payload, saved: Saved | null): App {
  current = new App(root, payload, saved);
  Object.assign((window.poinsot ??= { errors: [] }), current.hook);
  return current;
}

export const currentApp = (): App | null => current;
