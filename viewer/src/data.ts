/** The payload of the page: its types, and the one place that checks and decodes it. */
import { type Load, type Numbers, PayloadError, readBlock } from "./blocks";

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];
export type Study = "motion" | "kinematics" | "equilibrium" | "modes" | "linearize" | "path" | "buckling" | "campbell";
export type State = "good" | "doubtful" | "bad" | "note";

export interface Check { label: string; state: State; value: string; limit?: string; meaning: string; at?: number }
export interface Pose { position: Vec3; rotation: Quat }

interface ShapeBase { pose: Pose; color?: string; derived: boolean }
export type Shape = ShapeBase & (
  | { type: "box"; size: Vec3 }
  | { type: "sphere"; radius: number }
  | { type: "cylinder" | "cone" | "capsule"; radius: number; length: number }
  | { type: "tube"; outer: number; inner: number; length: number }
  | { type: "mesh"; vertices: Numbers; triangles: Numbers }
);

export interface End { body: number | null; at: Vec3 }
export interface Body { name: string; kind: "body" | "node" | "point"; centre: Vec3; shapes: Shape[] }
export interface Joint { name: string; type: string; symbol: string; ends: [End, End]; axis?: Vec3 }
export interface Spring { name: string; ends: [End, End] }
export interface LoadPoint { name: string; end: End }
export interface Beam { name: string; nodes: number[]; order: number; elements: number; first: number; outline: [number, number][] }
/** A smooth surface through nodes; `slopes` are two vectors of each node in its axes, `first` its first element among the resultants. */
export interface Plate { name: string; nodes: number[]; elements: [number, number]; first: number; slopes: Numbers; thickness: number }
/** A surface that deforms: `displacements` has for each shape three numbers for each vertex, `stresses` for each shape and side six. */
export interface Flexible { name: string; frame: number; first: number; shapes: number; vertices: Numbers; displacements: Numbers; triangles: Numbers; stresses?: Numbers }

export interface Scene {
  name: string; length: number; up: Vec3;
  bodies: Body[]; ground: Shape[]; joints: Joint[]; springs: Spring[]; loads: LoadPoint[]; beams: Beam[]; plates: Plate[]; flexible: Flexible[];
}

export interface Frames { count: number; axis: Numbers; poses: Numbers; reactions?: Numbers; loads?: Numbers; resultants?: Numbers; elements: number; amplitudes?: Numbers; shapes: number }
export interface Signal { name: string; unit: string; description: string; values: Numbers }
export interface Signals { axis: Numbers; list: Signal[] }
interface Complex3 { re: Vec3; im: Vec3 }
export interface Mode {
  number: number; frequency_hz?: number; damping_ratio?: number; kind?: string; eigenvalue?: { re: number; im: number };
  /** What it is called, and what the list tells of it, where number, frequency and damping do not say it. */
  name?: string; details: [string, string][];
  /** The frame that it is about. */
  frame: number;
  bodies: { translation: Complex3; rotation: Complex3 }[];
  /** How far it deforms flexible bodies along their shapes. */
  amplitudes: { re: number; im: number }[];
}

/** A drawing of the study as a whole, as SVG. */
export interface Diagram { file: string; title: string; svg: string }

export interface Run {
  name: string; folder?: string; study: Study; status: "completed" | "interrupted" | "failed"; message?: string; remedy?: string;
  summary: [string, string][]; text: string; source: { name: string; text: string } | null; checks: Check[]; files: [string, string][];
  scene: Scene | null; axis: { name: string; unit: string }; frames: Frames | null; signals: Signals | null;
  energy: Signals | null; modes: Mode[]; plots: { names: string[]; x: string }[]; diagrams: Diagram[]; kept: { frames?: [number, number]; signals?: [number, number] };
  /** What is left out because it cannot be read: one sentence each. */
  damage: string[];
}

export interface Payload { live: boolean; runs: Run[] }

const VERSION = 1;

type Raw = Record<string, unknown>;
const isObject = (value: unknown): value is Raw => typeof value === "object" && value !== null && !Array.isArray(value);

function object(value: unknown, where: string): Raw {
  if (!isObject(value)) throw new PayloadError(`${where}: missing or not an object`);
  return value;
}
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown, other = ""): string => (typeof value === "string" ? value : typeof value === "number" ? String(value) : other);
const optionalText = (value: unknown): string | undefined => (typeof value === "string" && value ? value : undefined);
const optionalNumber = (value: unknown): number | undefined => (typeof value === "number" && Number.isFinite(value) ? value : undefined);

function number(value: unknown, where: string): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw new PayloadError(`${where}: expected a number`);
  return value;
}
function numbers<N extends number>(value: unknown, count: N, where: string): number[] & { length: N } {
  if (!Array.isArray(value) || value.length !== count) throw new PayloadError(`${where}: expected ${count} numbers`);
  return value.map((item, i) => number(item, `${where}[${i}]`)) as number[] & { length: N };
}
const vec3 = (value: unknown, where: string): Vec3 => numbers(value, 3, where) as unknown as Vec3;
const pairs = (value: unknown): [string, string][] => list(value).map((item) => [text(list(item)[0]), text(list(item)[1])]);

function index(value: unknown, count: number, where: string): number {
  const i = number(value, where);
  if (!Number.isInteger(i) || i < 0 || i >= count) throw new PayloadError(`${where}: index ${i} is out of range, there are ${count}`);
  return i;
}

function end(value: unknown, bodies: number, where: string): End {
  const raw = object(value, where);
  return {
    body: raw.body === null || raw.body === undefined ? null : index(raw.body, bodies, `${where}.body`),
    at: raw.at === undefined ? [0, 0, 0] : vec3(raw.at, `${where}.at`),
  };
}
function ends(value: unknown, bodies: number, where: string): [End, End] {
  if (!Array.isArray(value) || value.length !== 2) throw new PayloadError(`${where}: expected two ends`);
  return [end(value[0], bodies, `${where}[0]`), end(value[1], bodies, `${where}[1]`)];
}

/** Reads one part; if it is damaged says what is missing then, and goes on without it. */
type Part = <T>(missing: string, read: () => Promise<T> | T) => Promise<T | null>;

function parts(damage: string[]): Part {
  return async (missing, read) => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof PayloadError)) throw error;
      damage.push(`${missing}: ${error.message}`);
      return null;
    }
  };
}

async function shape(value: unknown, where: string, load: Load): Promise<Shape | null> {
  const raw = object(value, where);
  const pose = isObject(raw.pose) ? raw.pose : {};
  const base: ShapeBase = {
    pose: {
      position: pose.position === undefined ? [0, 0, 0] : vec3(pose.position, `${where}.pose.position`),
      rotation: pose.rotation === undefined ? [0, 0, 0, 1] : (numbers(pose.rotation, 4, `${where}.pose.rotation`) as unknown as Quat),
    },
    color: typeof raw.color === "string" && /^#[0-9a-f]{6}$/i.test(raw.color) ? raw.color : undefined,
    derived: raw.derived === true,
  };
  const size = (key: string): number => number(raw[key], `${where}.${key}`);
  switch (raw.type) {
    case "box": return { ...base, type: "box", size: vec3(raw.size, `${where}.size`) };
    case "sphere": return { ...base, type: "sphere", radius: size("radius") };
    case "cylinder": case "cone": case "capsule": return { ...base, type: raw.type, radius: size("radius"), length: size("length") };
    case "tube": return { ...base, type: "tube", outer: size("outer"), inner: size("inner"), length: size("length") };
    case "mesh": {
      const vertices = await readBlock(raw.vertices, `${where}.vertices`, [-1, 3], load);
      const triangles = await readBlock(raw.triangles, `${where}.triangles`, [-1, 3], load);
      for (const i of triangles.values) if (!(i < vertices.shape[0]!)) throw new PayloadError(`${where}.triangles: index ${i} is out of range, there are ${vertices.shape[0]} vertices`);
      return { ...base, type: "mesh", vertices: vertices.values, triangles: triangles.values };
    }
    default: return null; // A newer program may know more shapes; the rest of the scene is still worth showing.
  }
}
async function shapes(value: unknown, of: string, where: string, load: Load, part: Part): Promise<Shape[]> {
  const all = await Promise.all(list(value).map((item, i) => part(`a shape of ${of}`, () => shape(item, `${where}[${i}]`, load))));
  return all.filter((item) => item !== null);
}

async function flexible(value: unknown, bodies: number, where: string, load: Load): Promise<Flexible> {
  const raw = object(value, where);
  const shapes = number(raw.shapes, `${where}.shapes`);
  const vertices = await readBlock(raw.vertices, `${where}.vertices`, [-1, 3], load);
  const count = vertices.shape[0]!;
  const displacements = await readBlock(raw.displacements, `${where}.displacements`, [shapes, count, 3], load);
  const triangles = await readBlock(raw.triangles, `${where}.triangles`, [-1, 3], load);
  for (const i of triangles.values) index(i, count, `${where}.triangles`);
  return {
    name: text(raw.name), frame: index(raw.frame, bodies, `${where}.frame`), first: number(raw.first, `${where}.first`), shapes,
    vertices: vertices.values, displacements: displacements.values, triangles: triangles.values,
    stresses: raw.stresses === undefined ? undefined : (await readBlock(raw.stresses, `${where}.stresses`, [shapes, -1, count, 6], load)).values,
  };
}

async function plate(value: unknown, bodies: number, where: string, load: Load): Promise<Plate> {
  const raw = object(value, where);
  const nodes = list(raw.nodes).map((node, i) => index(node, bodies, `${where}.nodes[${i}]`));
  const elements = numbers(raw.elements, 2, `${where}.elements`) as unknown as [number, number];
  const [nu, nv] = elements;
  if (!Number.isInteger(nu) || !Number.isInteger(nv) || nu < 1 || nv < 1 || nodes.length !== (nu + 1) * (nv + 1)) throw new PayloadError(`${where}: ${nodes.length} nodes do not fit ${nu} × ${nv} elements`);
  const slopes = await readBlock(raw.slopes, `${where}.slopes`, [nodes.length, 6], load);
  return { name: text(raw.name), nodes, elements, first: number(raw.first, `${where}.first`), slopes: slopes.values, thickness: number(raw.thickness, `${where}.thickness`) };
}

async function readScene(value: unknown, where: string, load: Load, part: Part): Promise<Scene> {
  const raw = object(value, where);
  const bodies: Body[] = [];
  for (const [i, item] of list(raw.bodies).entries()) {
    const at = `${where}.bodies[${i}]`;
    const body = object(item, at);
    const name = text(body.name, `body ${i + 1}`);
    bodies.push({
      name,
      kind: body.kind === "node" || body.kind === "point" ? body.kind : "body",
      centre: body.centre === undefined ? [0, 0, 0] : vec3(body.centre, `${at}.centre`),
      shapes: await shapes(body.shapes, `“${name}”`, `${at}.shapes`, load, part),
    });
  }
  const count = bodies.length;
  const items = <T>(key: string, read: (item: Raw, at: string) => T): T[] =>
    list(raw[key]).map((item, i) => read(object(item, `${where}.${key}[${i}]`), `${where}.${key}[${i}]`));
  const length = optionalNumber(raw.length);
  const skins = await Promise.all(list(raw.flexible).map((item, i) =>
    part("the surface of a flexible body", () => flexible(item, count, `${where}.flexible[${i}]`, load))));
  const plates = await Promise.all(list(raw.plates).map((item, i) => part("the surface of a plate", () => plate(item, count, `${where}.plates[${i}]`, load))));
  return {
    plates: plates.filter((item) => item !== null),
    flexible: skins.filter((item) => item !== null),
    name: text(raw.name),
    length: length && length > 0 ? length : 1,
    up: Array.isArray(raw.up) && Math.hypot(...vec3(raw.up, `${where}.up`)) > 0 ? vec3(raw.up, `${where}.up`) : [0, 0, 1],
    bodies,
    ground: await shapes(raw.ground, "the ground", `${where}.ground`, load, part),
    joints: items("joints", (item, at) => ({
      name: text(item.name), type: text(item.type), symbol: text(item.symbol), ends: ends(item.ends, count, `${at}.ends`),
      axis: Array.isArray(item.axis) ? vec3(item.axis, `${at}.axis`) : undefined,
    })),
    springs: items("springs", (item, at) => ({ name: text(item.name), ends: ends(item.ends, count, `${at}.ends`) })),
    loads: items("loads", (item, at) => ({ name: text(item.name), end: end(item.end, count, `${at}.end`) })),
    beams: items("beams", (item, at) => {
      const nodes = list(item.nodes).map((node, i) => index(node, count, `${at}.nodes[${i}]`));
      const order = optionalNumber(item.order) ?? 1;
      const outline = list(item.outline).map((point, i) => numbers(point, 2, `${at}.outline[${i}]`) as unknown as [number, number]);
      if (nodes.length < 2) throw new PayloadError(`${at}: a beam needs two nodes at least`);
      if (!Number.isInteger(order) || order < 1 || (nodes.length - 1) % order !== 0) throw new PayloadError(`${at}: ${nodes.length} nodes do not fit elements of order ${order}`);
      return { name: text(item.name), nodes, order, elements: (nodes.length - 1) / order, first: optionalNumber(item.first) ?? 0, outline };
    }),
  };
}

async function readFrames(value: unknown, scene: Scene, where: string, load: Load, part: Part): Promise<Frames> {
  const raw = object(value, where);
  const axis = await readBlock(raw.axis, `${where}.axis`, [-1], load);
  const count = axis.shape[0]!;
  if (count === 0) throw new PayloadError(`${where}.axis: there is no frame`);
  const poses = await readBlock(raw.poses, `${where}.poses`, [count, scene.bodies.length, 7], load);
  const optional = (key: string, rows: number, missing: string, check: (found: number) => void = () => {}): Promise<{ shape: number[]; values: Numbers } | null> =>
    part(missing, async () => {
      if (!isObject(raw[key])) return null;
      const block = await readBlock(raw[key], `${where}.${key}`, [count, rows, 6], load);
      check(block.shape[1]!);
      return block;
    });
  const resultants = await optional("resultants", -1, "the stress resultants of beams and plates", (elements) => {
    const plates = scene.plates.map(({ name, first, elements: [nu, nv] }) => ({ what: `plate “${name}”`, first, own: nu * nv }));
    for (const { what, first, own } of [...scene.beams.map((beam) => ({ what: `beam “${beam.name}”`, first: beam.first, own: beam.elements })), ...plates]) {
      if (first < 0 || first + own > elements) throw new PayloadError(`${what}: its elements ${first}…${first + own - 1} are out of range, there are ${elements} resultants`);
    }
  });
  const shapes = Math.max(0, ...scene.flexible.map(({ first, shapes }) => first + shapes));
  const amplitudes = isObject(raw.amplitudes)
    ? await part("how flexible bodies deform", () => readBlock(raw.amplitudes, `${where}.amplitudes`, [count, -1], load)) : null;
  if (amplitudes && amplitudes.shape[1]! < shapes) throw new PayloadError(`${where}.amplitudes: ${amplitudes.shape[1]} numbers for ${shapes} shapes`);
  return {
    amplitudes: amplitudes?.values, shapes: amplitudes?.shape[1] ?? shapes,
    count, axis: axis.values, poses: poses.values, elements: resultants?.shape[1] ?? 0, resultants: resultants?.values,
    reactions: (await optional("reactions", scene.joints.length, "the reactions"))?.values,
    loads: (await optional("loads", scene.loads.length, "the loads"))?.values,
  };
}

async function readSignals(axisRaw: unknown, valuesRaw: unknown, heads: Omit<Signal, "values">[], where: string, load: Load): Promise<Signals> {
  const axis = await readBlock(axisRaw, `${where}.axis`, [-1], load);
  const count = axis.shape[0]!;
  const values = await readBlock(valuesRaw, `${where}.values`, [heads.length, count], load);
  return { axis: axis.values, list: heads.map((head, i) => ({ ...head, values: values.values.subarray(i * count, (i + 1) * count) })) };
}

const complex3 = (value: unknown, where: string): Complex3 => {
  const raw = object(value, where);
  return { re: vec3(raw.re, `${where}.re`), im: raw.im === undefined ? [0, 0, 0] : vec3(raw.im, `${where}.im`) };
};

function readMode(value: unknown, i: number, bodies: number, frames: number, where: string): Mode {
  const raw = object(value, where);
  const shapes = list(raw.bodies);
  if (shapes.length !== bodies) throw new PayloadError(`${where}: the mode moves ${shapes.length} bodies, the scene has ${bodies}`);
  return {
    number: optionalNumber(raw.number) ?? i + 1,
    frequency_hz: optionalNumber(raw.frequency_hz),
    damping_ratio: optionalNumber(raw.damping_ratio),
    kind: optionalText(raw.kind),
    name: optionalText(raw.name), details: pairs(raw.details),
    frame: raw.frame === undefined ? 0 : index(raw.frame, frames, `${where}.frame`),
    eigenvalue: isObject(raw.eigenvalue) ? { re: optionalNumber(raw.eigenvalue.re) ?? 0, im: optionalNumber(raw.eigenvalue.im) ?? 0 } : undefined,
    amplitudes: list(raw.amplitudes).map((item) => (isObject(item) ? { re: optionalNumber(item.re) ?? 0, im: optionalNumber(item.im) ?? 0 } : { re: 0, im: 0 })),
    bodies: shapes.map((item, k) => {
      const body = object(item, `${where}.bodies[${k}]`);
      return { translation: complex3(body.translation, `${where}.bodies[${k}].translation`), rotation: complex3(body.rotation, `${where}.bodies[${k}].rotation`) };
    }),
  };
}

async function readRun(value: unknown, where: string, load: Load): Promise<Run> {
  const damage: string[] = [];
  const part = parts(damage);
  const raw = (await part("the whole run", () => object(value, where))) ?? { name: where, status: "failed" };
  const scene = isObject(raw.scene) ? await part("the scene", () => readScene(raw.scene, `${where}.scene`, load, part)) : null;
  const frames = scene && isObject(raw.frames) ? await part("the scene and its motion", () => readFrames(raw.frames, scene, `${where}.frames`, load, part)) : null;
  const { signals: rawSignals, energy: rawEnergy } = raw;
  const signals = isObject(rawSignals) ? await part("the signals", () => {
    const heads = list(rawSignals.list).map((item) => {
      const head = isObject(item) ? item : {};
      return { name: text(head.name), unit: text(head.unit), description: text(head.description) };
    });
    return readSignals(rawSignals.axis, rawSignals.values, heads, `${where}.signals`, load);
  }) : null;
  const energyAxis = isObject(rawEnergy) ? (rawEnergy.axis ?? (isObject(rawSignals) ? rawSignals.axis : null)) : null;
  const energy = isObject(rawEnergy) && energyAxis ? await part("the energies", () => {
    const heads = list(rawEnergy.names).map((name) => ({ name: text(name), unit: "J", description: "" }));
    return readSignals(energyAxis, rawEnergy.values, heads, `${where}.energy`, load);
  }) : null;
  const modes = frames && scene ? await Promise.all(list(raw.modes).map((mode, i) => part(`mode ${i + 1}`, () => readMode(mode, i, scene.bodies.length, frames.count, `${where}.modes[${i}]`)))) : [];
  const axis = isObject(raw.axis) ? raw.axis : {};
  const kept = isObject(raw.kept) ? raw.kept : {};
  const share = (key: string): [number, number] | undefined => {
    const [here, all] = list(kept[key]).map(optionalNumber);
    return here !== undefined && all !== undefined ? [here, all] : undefined;
  };
  const source = isObject(raw.source) ? { name: text(raw.source.name, "model"), text: text(raw.source.text) } : null;
  return {
    name: text(raw.name, "run"), folder: optionalText(raw.folder), study: text(raw.study, "motion") as Study,
    status: raw.status === "interrupted" || raw.status === "failed" ? raw.status : "completed",
    message: optionalText(raw.message), remedy: optionalText(raw.remedy),
    summary: pairs(raw.summary), text: text(raw.text), source, files: pairs(raw.files),
    checks: list(raw.checks).filter(isObject).map((check) => ({
      label: text(check.label), value: text(check.value), limit: optionalText(check.limit), meaning: text(check.meaning), at: optionalNumber(check.at),
      state: check.state === "good" || check.state === "doubtful" || check.state === "bad" ? check.state : "note",
    })),
    scene, frames, signals, energy,
    axis: { name: text(axis.name, "t"), unit: text(axis.unit, axis.name === undefined ? "s" : "") },
    modes: modes.filter((mode) => mode !== null),
    plots: list(raw.plots).filter(isObject).map((plot) => ({ names: list(plot.names).map((name) => text(name)), x: text(plot.x) })),
    diagrams: list(raw.diagrams).filter(isObject).map((item) => ({ file: text(item.file), title: text(item.title), svg: text(item.svg) })),
    kept: { frames: share("frames"), signals: share("signals") }, damage,
  };
}

/**
 * Checks and decodes a payload; every complaint names the place and what can be done. A damaged part of a run is
 * left out and named; only what makes the whole unreadable is an error.
 */
export async function readPayload(value: unknown, load: Load): Promise<Payload> {
  const raw = object(value, "results");
  if (raw.format !== "poinsot-report") throw new PayloadError("The data in this page are not Poinsot results.");
  if (typeof raw.version !== "number" || raw.version > VERSION) {
    throw new PayloadError(`The results are written in version ${text(raw.version, "?")} of the format, this page reads version ${VERSION}.`, "Open them with the newer Poinsot that wrote them, or run the study again with this one.");
  }
  if (!Array.isArray(raw.runs) || raw.runs.length === 0) throw new PayloadError("The results hold no run.", "Run a study first, then open its report.");
  const runs: Run[] = [];
  for (const [i, run] of raw.runs.entries()) runs.push(await readRun(run, `runs[${i}]`, load));
  return { live: raw.live === true, runs };
}

/** The payload in the page, or the one the local server answers when the page holds none. */
export async function loadPayload(): Promise<Payload> {
  const slot = document.getElementById("poinsot-data");
  if (!slot) throw new PayloadError("This page is cut off before its results.");
  const embedded = slot.textContent.trim();
  if (embedded !== "null") {
    let value: unknown;
    try {
      value = JSON.parse(embedded);
    } catch (error) {
      throw new PayloadError(`The data in this page cannot be read: ${(error as Error).message}.`);
    }
    return readPayload(value, fetchBuffer);
  }
  if (location.protocol === "file:") throw new PayloadError("This page holds no results.", "Open the report.html that “poinsot run” wrote, or use “poinsot view RESULT”.");
  return fetchPayload();
}

async function request(url: string): Promise<Response> {
  const remedy = "Check that “poinsot view” is still running, then reload this page.";
  let answer: Response;
  try {
    answer = await fetch(url, { cache: "no-store" });
  } catch {
    throw new PayloadError(`The server does not answer (${url}).`, remedy);
  }
  if (!answer.ok) throw new PayloadError(`The server answered “${answer.status} ${answer.statusText}” for ${url}.`, remedy);
  return answer;
}
const fetchBuffer: Load = async (url) => (await request(url)).arrayBuffer();

export async function fetchPayload(): Promise<Payload> {
  const answer = await request("api/runs");
  let value: unknown;
  try {
    value = await answer.json();
  } catch (error) {
    throw new PayloadError(`The server's answer cannot be read: ${(error as Error).message}.`, "Check that “poinsot view” is still running, then reload this page.");
  }
  return readPayload(value, fetchBuffer);
}
