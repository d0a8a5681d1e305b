/** The drawing of one run: builds its parts once, then moves them to any position of the timeline. */
import { type BufferGeometry, DoubleSide, Group, type InstancedMesh, type Intersection, Matrix4, type Mesh, MeshLambertMaterial, type Object3D, type Raycaster, SphereGeometry } from "three";
import { Arrows } from "./arrows";
import { axesOf } from "./axes";
import { BeamLine } from "./beamline";
import { Beams, RESULTANTS, resultantRange } from "./beams";
import type { Frames, Mode, Run, Scene } from "./data";
import { deformByMode, type Field, FlexibleBodies, interpolateAmplitudes } from "./flexible";
import { Instances } from "./instances";
import { Joints } from "./joints";
import { coil, Links } from "./links";
import { PlateGrid, Plates } from "./plates";
import { applyMode, exaggerate, type Instant, interpolatePoses, modeSize, place, poseMatrices } from "./poses";
import { type Palette, shapeCorners, Solids } from "./shapes";
import { lineColor, sceneColors } from "./theme";
import { Track } from "./track";
import { Traces } from "./traces";

export interface Display {
  frames: boolean; joints: boolean; springs: boolean; loads: boolean; reactions: boolean; sections: boolean;
  traces: boolean; ground: boolean; grid: boolean; start: boolean; arrowScale: number; exaggeration: number; resultant: string; field: Field | "";
}
export const DISPLAY: Display = {
  frames: false, joints: true, springs: true, loads: true, reactions: false, sections: false,
  traces: true, ground: true, grid: true, start: true, arrowScale: 1, exaggeration: 1, resultant: "", field: "displacement",
};

interface Part { object: Object3D; update(instant: Instant): void }
export interface Picked { label: string; body: number | null; distance: number }

export class RunScene {
  readonly object = new Group();
  readonly instant: Instant;
  readonly track: Track;
  readonly scene: Scene;
  readonly frames: Frames;
  private readonly parts: Part[] = [];
  private readonly solidMaterial = new MeshLambertMaterial();
  private readonly beamMaterial = new MeshLambertMaterial({ vertexColors: true });
  private readonly flexibleMaterial = new MeshLambertMaterial({ vertexColors: true, side: DoubleSide });
  private readonly groundMaterial = new MeshLambertMaterial();
  private readonly springMaterial = new MeshLambertMaterial();
  private readonly solids: Solids;
  private readonly ground: Solids;
  private readonly joints: Joints;
  private readonly springs: Links;
  private readonly beams: Beams;
  private readonly plates: Plates;
  private readonly flexible: FlexibleBodies;
  private readonly loads: Arrows | null;
  private readonly reactions: Arrows | null;
  private readonly axes: Instances;
  private readonly sections: Instances;
  private readonly nodes: Instances;
  readonly traces: Traces;
  private readonly nodeMaterial = new MeshLambertMaterial();
  /** The colour of the run where several lie over each other. */
  private tint: string | null = null;
  private ghost = false;
  private selected: number | null = null;
  private shown: { mode: Mode; amplitude: number } | null = null;
  private position = 0;
  private readonly modal: boolean;
  /** Whether its frames lead from one shape to another, so that the first is worth seeing beside the others. */
  private readonly deforms: boolean;
  private exaggeration = 1;
  /** Poses as they were computed, where they are drawn enlarged. */
  private readonly measured: Float64Array;

  constructor(run: Run, palette: Palette) {
    const scene = run.scene!, frames = run.frames!;
    this.scene = scene;
    this.frames = frames;
    this.track = new Track(frames.axis);
    this.modal = run.modes.length > 0;
    this.deforms = (run.study === "equilibrium" || run.study === "path") && frames.count > 1;
    const count = scene.bodies.length;
    this.instant = { poses: new Float64Array(count * 7), matrices: new Float64Array(count * 16), amplitudes: new Float64Array(frames.shapes), frame: 0, fraction: 0 };
    this.measured = new Float64Array(count * 7);
    const all = scene.bodies.map((_, i) => i);
    const nodes = [...new Set([...scene.beams, ...scene.plates].flatMap(({ nodes }) => nodes))];

    this.solids = Solids.ofBodies(scene, this.solidMaterial, palette);
    this.ground = Solids.ofGround(scene, this.groundMaterial);
    this.joints = new Joints(scene);
    this.springs = new Links(coil(), this.springMaterial, scene.springs.map(({ ends }) => ends), 0.02 * scene.length);
    this.beams = new Beams(scene, frames, this.beamMaterial);
    this.plates = new Plates(scene, frames, this.beamMaterial);
    this.flexible = new FlexibleBodies(scene, frames, this.flexibleMaterial);
    this.loads = frames.loads ? new Arrows(scene.loads.map(({ name }) => name), scene.loads.map(({ end }) => end), frames.loads, scene.length, 100) : null;
    this.reactions = frames.reactions ? new Arrows(scene.joints.map(({ name }) => `reaction of ${name}`), scene.joints.map(({ ends }) => ends[1]), frames.reactions, scene.length, 102) : null;
    this.axes = axesOf(all.filter((i) => scene.bodies[i]!.kind !== "node"), 0.12 * scene.length);
    this.sections = axesOf(nodes, 0.07 * scene.length);
    const dot = 0.007 * scene.length;
    this.nodes = new Instances(new SphereGeometry(1, 12, 8), this.nodeMaterial, nodes.map((body) => ({ body, local: new Matrix4().makeScale(dot, dot, dot) })));
    this.traces = new Traces(frames, count);
    this.parts.push(this.solids, this.joints, this.springs, this.beams, this.plates, this.flexible, this.axes, this.sections, this.nodes, this.traces);
    if (this.loads) this.parts.push(this.loads);
    if (this.reactions) this.parts.push(this.reactions);
    this.object.add(this.ground.object, ...this.parts.map(({ object }) => object));
    this.paint();
  }

  /** The body of a name: runs are matched by it, since another run may have other bodies in another order. */
  find(name: string | null): number | null {
    const i = this.scene.bodies.findIndex((body) => body.name === name);
    return i < 0 ? null : i;
  }

  get selectedName(): string | null {
    return this.selected === null ? null : this.scene.bodies[this.selected]!.name;
  }

  /** Which controls make sense for this run. */
  get has(): Record<"joints" | "springs" | "loads" | "reactions" | "beams" | "flexible" | "stresses" | "resultants" | "ground" | "start", boolean> {
    const { joints, springs, loads, beams, plates, ground } = this.scene;
    const lines = beams.length + plates.length > 0;
    return {
      joints: joints.length > 0, springs: springs.length > 0, beams: lines, flexible: this.scene.flexible.length > 0, stresses: this.scene.flexible.some(({ stresses }) => stresses), ground: ground.length > 0,
      loads: this.loads !== null && loads.length > 0, reactions: this.reactions !== null && joints.length > 0,
      resultants: this.frames.resultants !== undefined && lines, start: this.deforms,
    };
  }

  /** Moves everything; hidden parts wait until they are shown. */
  update(position: number): void {
    this.position = position;
    const { instant } = this;
    const count = this.scene.bodies.length;
    if (this.shown) {
      const { mode, amplitude } = this.shown;
      instant.frame = mode.frame;
      instant.fraction = 0;
      interpolatePoses(this.frames.poses, count, mode.frame, 0, instant.poses);
      interpolateAmplitudes(this.frames.amplitudes, mode.frame, 0, instant.amplitudes);
      const size = modeSize(mode), scale = size > 0 ? (amplitude * this.scene.length) / size : 0;
      applyMode(mode, this.scene.bodies, 2 * Math.PI * position, scale, instant.poses);
      deformByMode(mode, 2 * Math.PI * position, scale, instant.amplitudes);
    } else {
      const { frame, fraction } = this.track.locate(position);
      instant.frame = frame;
      instant.fraction = fraction;
      interpolatePoses(this.frames.poses, count, frame, fraction, instant.poses);
      interpolateAmplitudes(this.frames.amplitudes, frame, fraction, instant.amplitudes);
      this.measured.set(instant.poses);
      if (this.exaggeration !== 1) exaggerate(this.frames.poses, count, this.exaggeration, instant.poses);
    }
    poseMatrices(instant.poses, count, instant.matrices);
    for (const part of this.parts) if (part.object.visible) part.update(instant);
  }

  /** Shows a mode about its frame; the position is then the phase in turns. */
  showMode(mode: Mode | null, amplitude: number): void {
    this.shown = mode ? { mode, amplitude } : null;
  }

  setDisplay(display: Display, range: [number, number] | null, largest: number): void {
    const solo = !this.ghost;
    this.exaggeration = this.deforms ? display.exaggeration : 1;
    this.axes.object.visible = display.frames;
    this.joints.object.visible = display.joints && solo;
    this.springs.object.visible = display.springs;
    if (this.loads) {
      this.loads.object.visible = display.loads && solo && !this.shown;
      this.loads.scale = display.arrowScale;
    }
    if (this.reactions) {
      this.reactions.object.visible = display.reactions && solo && !this.shown;
      this.reactions.scale = display.arrowScale;
    }
    this.sections.object.visible = this.nodes.object.visible = display.sections && solo;
    this.traces.object.visible = display.traces && !this.shown;
    this.ground.object.visible = display.ground && solo;
    const painted = solo && largest > 0 && display.field;
    this.flexible.colorBy(painted || null, largest);
    this.flexible.scale = this.exaggeration;
    if (painted) this.flexibleMaterial.color.setScalar(1.4);
    else this.flexibleMaterial.color.set(this.tint ?? sceneColors().beam);
    const resultant = RESULTANTS.find(({ key }) => key === display.resultant);
    const colored = solo && resultant !== undefined && range !== null && !this.shown;
    for (const part of [this.beams, this.plates]) part.colorBy(colored ? resultant.column : null, range ?? [0, 0]);
    if (colored) this.beamMaterial.color.setScalar(1.4); // shading darkens; this keeps the colours near those of the bar
    else this.beamMaterial.color.set(this.tint ?? sceneColors().beam);
    this.update(this.position);
  }

  range(resultant: string): [number, number] | null {
    const found = RESULTANTS.find(({ key }) => key === resultant);
    return found && this.has.resultants ? resultantRange(this.frames, found.column) : null;
  }

  /** Largest value of what flexible bodies are coloured by. */
  largestField(field: Field | ""): number {
    return field ? this.flexible.largest(field) : 0;
  }

  /** One among several has the colour of its run; as a ghost it is transparent, too. */
  setTint(color: string | null, ghost: boolean): void {
    this.tint = color;
    this.ghost = ghost;
    for (const material of [this.solidMaterial, this.beamMaterial, this.flexibleMaterial, this.springMaterial]) {
      material.transparent = ghost;
      material.opacity = ghost ? 0.32 : 1;
      material.depthWrite = !ghost;
      material.needsUpdate = true;
    }
    this.paint();
  }

  select(body: number | null): void {
    this.selected = body;
    this.paint();
  }

  trace(body: number, on: boolean): void {
    this.traces.remove(body);
    if (on) this.traces.add(body, this.scene.bodies[body]!.centre, this.tint ?? lineColor(this.traces.traced.length + 1));
    this.traces.update(this.instant);
  }

  /** Takes the colours of the theme. */
  paint(): void {
    const colors = sceneColors();
    this.solids.paint(this.tint, this.selected, colors.select);
    this.ground.paint(null, null, colors.select);
    this.joints.paint(colors.joint);
    this.springMaterial.color.set(this.tint ?? colors.spring);
    this.nodeMaterial.color.set(colors.ink);
    this.loads?.paint(colors.load);
    this.reactions?.paint(colors.reaction);
  }

  /** World place of a body's centre of mass; the label hangs there. */
  centre(body: number, out: Float64Array): void {
    place(this.instant.poses, body, this.scene.bodies[body]!.centre, out);
  }

  /** The same as it was computed, whatever enlarges the drawing. */
  measuredCentre(body: number, out: Float64Array): void {
    place(this.shown ? this.instant.poses : this.measured, body, this.scene.bodies[body]!.centre, out);
  }

  /** The mean place of all bodies. */
  middle(out: Float64Array, poses: ArrayLike<number> = this.instant.poses, start = 0): void {
    const { bodies } = this.scene;
    out.fill(0);
    bodies.forEach((_, body) => { for (let i = 0; i < 3; i++) out[i]! += poses[start + 7 * body + i]! / bodies.length; });
  }

  /** Velocity of a body's centre of mass, from the two frames around the position. */
  velocity(body: number): [number, number, number] {
    const { axis, count, poses } = this.frames;
    const size = this.scene.bodies.length * 7, { centre } = this.scene.bodies[body]!;
    const k = Math.min(this.instant.frame, count - 2);
    const a = new Float64Array(3), b = new Float64Array(3);
    place(poses, body, centre, a, k * size);
    place(poses, body, centre, b, (k + 1) * size);
    const dt = axis[k + 1]! - axis[k]!;
    return [0, 1, 2].map((i) => (dt > 0 ? (b[i]! - a[i]!) / dt : NaN)) as [number, number, number];
  }

  /** Corners of the bodies over some of the frames, seen from the middle of all if they are to be followed. */
  private bodyExtent(followed: boolean): number[] {
    const { bodies } = this.scene;
    const { count, poses } = this.frames;
    const points: number[] = [];
    const out = new Float64Array(3), middle = new Float64Array(3);
    const corners = bodies.map((body) => (body.shapes.length > 0 ? body.shapes.flatMap(shapeCorners) : [body.centre]));
    const total = corners.reduce((sum, list) => sum + list.length, 0) || 1;
    const samples = Math.max(2, Math.min(count, 60, Math.floor(60000 / total)));
    for (let s = 0; s < samples; s++) {
      const start = Math.round((s / (samples - 1)) * (count - 1)) * bodies.length * 7;
      if (followed) this.middle(middle, poses, start);
      corners.forEach((list, body) => {
        for (const corner of list) {
          place(poses, body, corner, out, start);
          for (let i = 0; i < 3; i++) out[i]! -= middle[i]!;
          if (out.every(Number.isFinite)) points.push(...out);
        }
      });
    }
    return points;
  }

  /** What the view must hold about the middle of the bodies, if they travel far compared with their size. */
  travel(): Float64Array | null {
    if (this.scene.bodies.length === 0 || this.frames.count < 2) return null;
    const near = this.bodyExtent(true);
    return span(this.bodyExtent(false)) > TRAVEL * Math.max(span(near), this.scene.length) ? Float64Array.from(near) : null;
  }

  /** Corners of everything over some of the frames: what the view must hold. */
  extent(): Float64Array {
    const { ground, beams, plates, joints, springs, loads, length } = this.scene;
    const { poses } = this.frames;
    const points = this.bodyExtent(false);
    const out = new Float64Array(3);
    // Ground that is much larger than the mechanism is scenery and must not shrink it.
    for (const shape of ground) {
      for (const corner of shapeCorners(shape)) if (Math.hypot(...corner) < 4 * length) points.push(...corner);
    }
    // Where joints, springs and loads take hold, for those that hold on to the ground far from all bodies.
    const holds = [...joints.flatMap(({ ends }) => ends), ...springs.flatMap(({ ends }) => ends), ...loads.map(({ end }) => end)];
    for (const { body, at } of holds) {
      place(poses, body, at, out);
      if (out.every(Number.isFinite)) points.push(...out);
    }
    for (const { frame, vertices } of this.scene.flexible) {
      for (let i = 0; i < vertices.length; i += 3) {
        place(poses, frame, [vertices[i]!, vertices[i + 1]!, vertices[i + 2]!], out);
        points.push(...out);
      }
    }
    for (const beam of beams) {
      const line = new BeamLine(beam, poses);
      line.update(poses);
      for (let i = 0; i < line.count; i += 4) points.push(line.samples[7 * i]!, line.samples[7 * i + 1]!, line.samples[7 * i + 2]!);
    }
    for (const plate of plates) {
      const grid = new PlateGrid(plate);
      grid.update(poses);
      for (let i = 0; i < grid.points.length; i += 6) points.push(grid.points[i]!, grid.points[i + 1]!, grid.points[i + 2]!);
    }
    if (this.modal) {
      // Room for the amplitude a mode starts with.
      const room = 0.12 * length;
      for (let i = points.length - 3; i >= 0; i -= 3) {
        const [x, y, z] = points.slice(i, i + 3) as [number, number, number];
        points.push(x, y - room, z - room, x, y + room, z + room);
      }
    }
    return Float64Array.from(points.length > 0 ? points : [0, 0, 0]);
  }

  /** What lies under the pointer. */
  pick(ray: Raycaster): Picked | null {
    let best: Picked | null = null;
    const consider = (hits: Intersection[], describe: (hit: Intersection) => Omit<Picked, "distance">, factor = 1): void => {
      const hit = hits[0];
      if (hit && (best === null || factor * hit.distance < best.distance)) best = { ...describe(hit), distance: factor * hit.distance };
    };
    for (const { object, items } of this.solids.batches) {
      fresh(object);
      consider(ray.intersectObject(object), (hit) => {
        const body = items[hit.instanceId!]!.body;
        return { label: body === null ? "ground" : this.scene.bodies[body]!.name, body };
      });
    }
    if (this.joints.object.visible) {
      for (const { instances, joints } of this.joints.signs) {
        fresh(instances.object);
        consider(ray.intersectObject(instances.object), (hit) => ({ label: `${joints[hit.instanceId!]!.name} · ${joints[hit.instanceId!]!.type} joint`, body: null }));
      }
    }
    for (const arrows of [this.loads, this.reactions]) {
      if (!arrows?.object.visible) continue;
      for (const mesh of [arrows.shafts, arrows.heads]) {
        fresh(mesh);
        consider(ray.intersectObject(mesh), (hit) => ({ label: arrows.describe(mesh, hit.instanceId!, this.instant), body: null }), 1e-6); // in front, as they are drawn
      }
    }
    for (const { mesh, beam } of this.beams.meshes) {
      fresh(mesh);
      consider(ray.intersectObject(mesh), (hit) => ({ label: `beam ${beam.name}`, body: this.nearest(beam.nodes, hit.point.toArray()) }));
    }
    for (const { mesh, plate } of this.plates.meshes) {
      fresh(mesh);
      consider(ray.intersectObject(mesh), (hit) => ({ label: `plate ${plate.name}`, body: this.nearest(plate.nodes, hit.point.toArray()) }));
    }
    for (const { mesh, body } of this.flexible.meshes) {
      fresh(mesh);
      consider(ray.intersectObject(mesh), () => ({ label: `flexible body ${body.name}`, body: body.frame }));
    }
    return best;
  }

  private nearest(nodes: number[], point: number[]): number {
    const { poses } = this.instant;
    const far = (i: number): number => Math.hypot(poses[i * 7]! - point[0]!, poses[i * 7 + 1]! - point[1]!, poses[i * 7 + 2]! - point[2]!);
    return nodes.reduce((best, node) => (far(node) < far(best) ? node : best));
  }

  dispose(): void {
    this.object.traverse((object) => (object as Mesh<BufferGeometry>).geometry?.dispose());
  }
}

/** How many times its own size a model must go for the camera to follow it. */
const TRAVEL = 4;

/** Bounds are needed for picking only, so they are made anew then and not in every frame. */
/** The longest edge of the box around points. */
function span(points: number[]): number {
  let most = 0;
  for (let k = 0; k < 3; k++) {
    let low = Infinity, high = -Infinity;
    for (let i = k; i < points.length; i += 3) {
      low = Math.min(low, points[i]!);
      high = Math.max(high, points[i]!);
    }
    most = Math.max(most, high - low);
  }
  return most;
}

function fresh(object: InstancedMesh | Mesh): void {
  if ("instanceMatrix" in object) (object as InstancedMesh).computeBoundingSphere();
  else object.geometry.computeBoundingSphere();
}
