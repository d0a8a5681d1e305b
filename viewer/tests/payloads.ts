/** Results as the program writes them, made by small formulas: what the tests open. */
import { crc32 } from "../src/blocks";

type Rows = number[][];

export function block(shape: number[], values: ArrayLike<number>, type: "f32" | "f64" | "u32" = "f64"): object {
  const array = { f32: Float32Array, f64: Float64Array, u32: Uint32Array }[type].from(values);
  return { type, shape, data: Buffer.from(array.buffer).toString("base64"), crc: crc32(array.buffer) };
}

const turnY = (angle: number): number[] => [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)];
const turnX = (angle: number): number[] => [Math.sin(angle / 2), 0, 0, Math.cos(angle / 2)];
const flat = (rows: Rows): number[] => rows.flat();

const CHECKS = [
  { label: "Constraints", state: "good", value: "3.1e−11 m", limit: "1e−8 m", meaning: "The joints stay closed to within this distance over the whole run.", at: 2.4 },
  { label: "Energy", state: "doubtful", value: "4.2e−5", limit: "1e−5", meaning: "Energy that appears or vanishes, relative to the largest kinetic energy; halve the tolerance to see whether it matters.", at: 6.31 },
  { label: "Step control", state: "good", value: "1284 steps, 12 rejected", meaning: "The integrator seldom had to repeat a step." },
  { label: "Initial state", state: "note", value: "adjusted by 2e−9", meaning: "The given start was moved onto the constraints." },
];

const base = (name: string, study: string): Record<string, unknown> => ({
  name, folder: `results/${name}`, study, status: "completed",
  summary: [["Method", "generalized-α, ρ∞ = 0.9"], ["System", "2 bodies, 12 coordinates, 10 constraints, 2 degrees of freedom"], ["Work", "1 284 steps, 3 912 evaluations, 0.21 s"]],
  text: `reading ${name}.toml\nassembling: 2 bodies, 2 joints\nintegrating 0 … 10 s\n  t =  2.5 s   h = 8.1e-3\n  t =  5.0 s   h = 7.9e-3\n  t = 10.0 s   h = 8.0e-3\ndone in 0.21 s\n`,
  source: { name: `${name}.toml`, text: `# ${name}\n[model]\ngravity = [0, 0, -9.81]\n\n[[body]]\nname = "upper"\nmass = "1 kg"\nshape = { box = [0.06, 0.06, 1.0] }\n\n[[body]]\nname = "lower"\nmass = "1 kg"\nshape = { box = [0.06, 0.06, 1.0] }\n\n[[joint]]\ntype = "revolute"\nbetween = ["ground", "upper"]\naxis = "y"\n` },
  checks: CHECKS, files: [["result.h5", "all frames and signals"], ["signals.csv", "signals as a table"], ["report.html", "this page"]],
  axis: { name: "t", unit: "s" }, kept: { frames: [801, 801], signals: [801, 801] },
});

const payload = (...runs: object[]): object => ({ format: "poinsot-report", version: 1, runs });

/** Two equal rods; angles by Runge–Kutta, so energy and motion look as they should. */
export function doublePendulumRun(name = "double-pendulum", start = 1.9, frames = 801): object {
  const g = 9.81, dt = 10 / (frames - 1);
  const rate = ([a, b, u, v]: number[]): number[] => {
    const d = a! - b!, c = Math.cos(d), s = Math.sin(d);
    // Slender rods of mass and length one.
    const m11 = 4 / 3, m12 = c / 2, m22 = 1 / 3;
    const f1 = -0.5 * s * v! * v! - 1.5 * g * Math.sin(a!), f2 = 0.5 * s * u! * u! - 0.5 * g * Math.sin(b!);
    const det = m11 * m22 - m12 * m12;
    return [u!, v!, (m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det];
  };
  const add = (x: number[], k: number[], w: number): number[] => x.map((value, i) => value + w * k[i]!);
  let x = [start, start + 0.4, 0, 0];
  const t: number[] = [], poses: number[] = [], reactions: number[] = [];
  const signals: Rows = [[], [], [], [], [], []], energy: Rows = [[], [], [], []];
  for (let f = 0; f < frames; f++) {
    const [a, b, u, v] = x as [number, number, number, number];
    const time = f * dt;
    t.push(time);
    const p1 = [-0.5 * Math.sin(a), 0, -0.5 * Math.cos(a)], tip = [-Math.sin(a), 0, -Math.cos(a)];
    const p2 = [tip[0]! - 0.5 * Math.sin(b), 0, tip[2]! - 0.5 * Math.cos(b)];
    poses.push(...p1, ...turnY(a), ...p2, ...turnY(b));
    const pull1 = 19.6 * Math.cos(a) + 2.2 * u * u, pull2 = 9.8 * Math.cos(b) + v * v * 0.6;
    reactions.push(pull1 * Math.sin(a), 0, pull1 * Math.cos(a), 0.6 * u, 0, 0, pull2 * Math.sin(b), 0, pull2 * Math.cos(b), 0, 0, 0);
    const kinetic = (2 / 3) * u * u + v * v / 6 + 0.5 * u * v * Math.cos(a - b), potential = -g * (1.5 * Math.cos(a) + 0.5 * Math.cos(b));
    signals.forEach((row, k) => row.push([a, b, u, v, p2[0]!, p2[2]!][k]!));
    energy.forEach((row, k) => row.push([kinetic, potential, kinetic + potential, 1e-4 * time * Math.sin(3 * time)][k]!));
    const steps = 8, h = dt / steps;
    for (let s = 0; s < steps; s++) {
      const k1 = rate(x), k2 = rate(add(x, k1, h / 2)), k3 = rate(add(x, k2, h / 2)), k4 = rate(add(x, k3, h));
      x = x.map((value, i) => value + (h / 6) * (k1[i]! + 2 * k2[i]! + 2 * k3[i]! + k4[i]!));
    }
  }
  const rod = [{ type: "box", size: [0.07, 0.05, 1] }];
  return {
    ...base(name, "motion"),
    scene: {
      name: "Double pendulum", length: 2, up: [0, 0, 1], gravity: [0, 0, -9.81],
      bodies: [{ name: "upper", kind: "body", centre: [0, 0, 0], shapes: rod }, { name: "lower", kind: "body", centre: [0, 0, 0], shapes: rod }],
      ground: [{ type: "box", size: [0.3, 0.2, 0.06], pose: { position: [0, 0, 0.07], rotation: [0, 0, 0, 1] } }],
      joints: [
        { name: "shoulder", type: "revolute", symbol: "pin", ends: [{ body: null, at: [0, 0, 0] }, { body: 0, at: [0, 0, 0.5] }], axis: [0, 1, 0] },
        { name: "elbow", type: "revolute", symbol: "pin", ends: [{ body: 0, at: [0, 0, -0.5] }, { body: 1, at: [0, 0, 0.5] }], axis: [0, 1, 0] },
      ],
      springs: [], loads: [], beams: [],
    },
    frames: { axis: block([frames], t), poses: block([frames, 2, 7], poses), reactions: block([frames, 2, 6], reactions) },
    signals: {
      axis: block([frames], t),
      list: [["upper.angle", "rad", "angle of the upper rod"], ["lower.angle", "rad", "angle of the lower rod"], ["upper.rate", "rad/s", "angular velocity of the upper rod"], ["lower.rate", "rad/s", "angular velocity of the lower rod"], ["tip.x", "m", "place of the lower rod"], ["tip.z", "m", "height of the lower rod"]]
        .map(([signal, unit, description]) => ({ name: signal, unit, description })),
      values: block([6, frames], flat(signals)),
    },
    energy: { names: ["kinetic", "potential", "total", "imbalance"], values: block([4, frames], flat(energy)) },
  };
}
export const doublePendulum = (): object => payload(doublePendulumRun());

/** Crank, rod and piston with a spring, a load and reactions. */
export function crankSlider(): object {
  const frames = 361, r = 0.1, l = 0.32;
  const t: number[] = [], poses: number[] = [], reactions: number[] = [], loads: number[] = [];
  const signals: Rows = [[], [], [], []];
  for (let f = 0; f < frames; f++) {
    const time = (f / (frames - 1)) * 0.4, a = 2 * Math.PI * 5 * time;
    const pin = [r * Math.cos(a), 0, r * Math.sin(a)], b = Math.asin((r / l) * Math.sin(a));
    const x = pin[0]! + l * Math.cos(b);
    t.push(time);
    poses.push(pin[0]! / 2, 0, pin[2]! / 2, ...turnY(-a), (pin[0]! + x) / 2, 0, pin[2]! / 2, ...turnY(b), x, 0, 0, 0, 0, 0, 1);
    const gas = 900 * Math.exp(-((((a % (2 * Math.PI)) - 0.5) / 0.7) ** 2));
    const push = -gas - 180 * Math.cos(a);
    loads.push(-gas - 20, 0, 0, 0, 0, 0);
    reactions.push(push, 0, push * Math.tan(b), 0, 0.25 * gas * 0.1, 0, push, 0, push * Math.tan(b), 0, 0, 0, push, 0, push * Math.tan(b), 0, 0, 0, 0, 0, -push * Math.tan(b), 0, 12 * Math.sin(a), 0);
    signals.forEach((row, k) => row.push([a, x, -2 * Math.PI * 5 * r * Math.sin(a + b), gas][k]!));
  }
  const axis: [number, number, number] = [0, 1, 0];
  return payload({
    ...base("crank-slider", "kinematics"),
    checks: CHECKS.slice(0, 1).map((check) => ({ ...check, at: 0.12 })).concat(CHECKS.slice(2, 3) as never),
    scene: {
      name: "Crank slider", length: 0.5, up: [0, 0, 1], gravity: [0, 0, -9.81],
      bodies: [
        { name: "crank", kind: "body", centre: [0, 0, 0], shapes: [{ type: "box", size: [r, 0.02, 0.025] }, { type: "cylinder", radius: 0.035, length: 0.02, pose: { position: [-r / 2, 0, 0], rotation: turnX(Math.PI / 2) } }] },
        { name: "rod", kind: "body", centre: [0, 0, 0], shapes: [{ type: "capsule", radius: 0.009, length: l, pose: { position: [0, 0, 0], rotation: turnY(Math.PI / 2) } }] },
        { name: "piston", kind: "body", centre: [0, 0, 0], shapes: [{ type: "cylinder", radius: 0.045, length: 0.07, pose: { position: [0.02, 0, 0], rotation: turnY(Math.PI / 2) } }] },
      ],
      ground: [{ type: "tube", outer: 0.056, inner: 0.047, length: 0.25, derived: true, color: "#c0c8d0", pose: { position: [0.46, 0, -0.13], rotation: turnY(Math.PI / 2) } }],
      joints: [
        { name: "main bearing", type: "revolute", symbol: "pin", ends: [{ body: null, at: [0, 0, 0] }, { body: 0, at: [-r / 2, 0, 0] }], axis },
        { name: "crank pin", type: "revolute", symbol: "pin", ends: [{ body: 0, at: [r / 2, 0, 0] }, { body: 1, at: [-l / 2, 0, 0] }], axis },
        { name: "piston pin", type: "spherical", symbol: "ball", ends: [{ body: 1, at: [l / 2, 0, 0] }, { body: 2, at: [0, 0, 0] }] },
        { name: "guide", type: "prismatic", symbol: "block", ends: [{ body: 2, at: [0.02, 0, 0.0] }, { body: null, at: [0.4, 0, 0] }], axis: [1, 0, 0] },
      ],
      springs: [{ name: "return spring", ends: [{ body: null, at: [0.62, 0, 0] }, { body: 2, at: [0.055, 0, 0] }] }],
      loads: [{ name: "gas", end: { body: 2, at: [0.05, 0, 0] } }], beams: [],
    },
    frames: { axis: block([frames], t), poses: block([frames, 3, 7], poses, "f32"), reactions: block([frames, 4, 6], reactions, "f32"), loads: block([frames, 1, 6], loads, "f32") },
    signals: {
      axis: block([frames], t), list: [{ name: "crank.angle", unit: "rad", description: "" }, { name: "piston.x", unit: "m", description: "" }, { name: "piston.v", unit: "m/s", description: "" }, { name: "gas.force", unit: "N", description: "" }],
      values: block([4, frames], flat(signals)),
    },
  });
}

const I_SECTION = [[-0.03, -0.05], [0.03, -0.05], [0.03, -0.04], [0.005, -0.04], [0.005, 0.04], [0.03, 0.04], [0.03, 0.05], [-0.03, 0.05], [-0.03, 0.04], [-0.005, 0.04], [-0.005, -0.04], [-0.03, -0.04]];

/** Poses of a beam clamped at x = 0 along x that bends upwards as a circle arc; body z is along the line. */
function bentBeam(nodes: number, curvature: number, length: number): number[] {
  return Array.from({ length: nodes }, (_, i) => {
    const s = (length * i) / (nodes - 1), angle = curvature * s;
    const x = Math.abs(curvature) > 1e-9 ? Math.sin(angle) / curvature : s;
    const z = Math.abs(curvature) > 1e-9 ? (1 - Math.cos(angle)) / curvature : 0;
    return [x, 0, z, ...turnY(Math.PI / 2 - angle)];
  }).flat();
}
const beamNodes = (count: number): object[] => Array.from({ length: count }, (_, i) => ({ name: `boom.${i}`, kind: "node", centre: [0, 0, 0], shapes: [] }));

/** Coarse on purpose: three elements must still look like one smooth arc. */
export function bendingBeam(order = 1, elements = 4): object {
  const frames = 201, length = 2, nodes = order * elements + 1;
  const t: number[] = [], poses: number[] = [], resultants: number[] = [], tip: number[] = [], loads: number[] = [];
  for (let f = 0; f < frames; f++) {
    const time = f * 0.02, curvature = -0.75 * Math.sin(1.9 * time) * Math.exp(-0.15 * time);
    t.push(time);
    const line = bentBeam(nodes, curvature, length);
    poses.push(...line);
    tip.push(line[(nodes - 1) * 7 + 2]!);
    for (let e = 0; e < elements; e++) {
      const moment = 900 * curvature * (1 - e / elements);
      resultants.push(0, 120 * curvature, 40 * e * curvature, 15 * moment / 10, moment, 5 * e);
    }
    loads.push(0, 0, 300 * curvature, 0, 40 * curvature, 0);
  }
  return payload({
    ...base("boom", "motion"),
    scene: {
      name: "Bending boom", length, up: [0, 0, 1], gravity: [0, 0, -9.81], bodies: beamNodes(nodes),
      ground: [{ type: "box", size: [0.08, 0.3, 0.4], pose: { position: [-0.04, 0, 0], rotation: [0, 0, 0, 1] } }],
      joints: [{ name: "clamp", type: "fixed", symbol: "clamp", ends: [{ body: null, at: [0, 0, 0] }, { body: 0, at: [0, 0, 0] }] }],
      springs: [], loads: [{ name: "tip load", end: { body: nodes - 1, at: [0, 0, 0] } }],
      beams: [{ name: "boom", nodes: Array.from({ length: nodes }, (_, i) => i), order, elements, first: 0, outline: I_SECTION }],
    },
    frames: { axis: block([frames], t), poses: block([frames, nodes, 7], poses), resultants: block([frames, elements, 6], resultants), loads: block([frames, 1, 6], loads) },
    signals: { axis: block([frames], t), list: [{ name: "tip.z", unit: "m", description: "height of the tip" }], values: block([1, frames], tip) },
  });
}

/** A cantilever's modes: sines will do. */
export function modes(): object {
  const nodes = 9, length = 2, zero = [0, 0, 0];
  const shape = (k: number, i: number): number => (i / (nodes - 1)) ** 2 * Math.cos(((k - 1) * Math.PI * i) / (nodes - 1));
  return payload({
    ...base("boom-modes", "modes"),
    scene: {
      name: "Boom, natural modes", length, up: [0, 0, 1], bodies: beamNodes(nodes), ground: [], joints: [], springs: [], loads: [],
      beams: [{ name: "boom", nodes: Array.from({ length: nodes }, (_, i) => i), order: 1, elements: nodes - 1, first: 0, outline: I_SECTION }],
    },
    frames: { axis: block([1], [0]), poses: block([1, nodes, 7], bentBeam(nodes, 0, length)) },
    signals: null,
    modes: Array.from({ length: 6 }, (_, m) => ({
      number: m + 1, frequency_hz: 4.12 * (m + 1) ** 2, damping_ratio: 0.004 * (m + 1), kind: m % 2 ? "bending, lateral" : "bending, vertical",
      eigenvalue: { re: -0.1 * (m + 1), im: 25.9 * (m + 1) ** 2 },
      bodies: Array.from({ length: nodes }, (_, i) => {
        const w = shape(m + 1, i), slope = ((shape(m + 1, Math.min(i + 1, nodes - 1)) - shape(m + 1, Math.max(i - 1, 0))) / (Math.min(i + 1, nodes - 1) - Math.max(i - 1, 0))) * ((nodes - 1) / length);
        return { translation: { re: m % 2 ? [0, w, 0] : [0, 0, w], im: zero }, rotation: { re: m % 2 ? [0, 0, slope] : [0, -slope, 0], im: zero } };
      }),
    })),
  });
}

/** Two bars that snap through: the load turns back along the path. */
export function loadPath(): object {
  const frames = 121, height = 0.25, half = 0.5, long = Math.hypot(half, height);
  const load: number[] = [], down: number[] = [], poses: number[] = [];
  for (let f = 0; f < frames; f++) {
    const w = (0.62 * f) / (frames - 1), h = height - w, now = Math.hypot(half, h);
    load.push(2e4 * 2 * (1 / now - 1 / long) * h * long);
    down.push(w);
    for (const side of [-1, 1]) poses.push(side * half / 2, 0, h / 2, ...turnY(Math.atan2(-side * half, h)));
    poses.push(0, 0, h, 0, 0, 0, 1);
  }
  const bar = [{ type: "cylinder", radius: 0.014, length: 0.53 }];
  return payload({
    ...base("truss", "path"), axis: { name: "P", unit: "N" }, checks: CHECKS.slice(0, 1).map(({ at: _, ...check }) => check),
    scene: {
      name: "Shallow truss", length: 1, up: [0, 0, 1],
      bodies: [{ name: "left bar", kind: "body", centre: [0, 0, 0], shapes: bar }, { name: "right bar", kind: "body", centre: [0, 0, 0], shapes: bar }, { name: "apex", kind: "point", centre: [0, 0, 0], shapes: [] }],
      ground: [], joints: [-1, 1].map((side, k) => ({ name: `support ${k + 1}`, type: "revolute", symbol: "pin", ends: [{ body: null, at: [side * half, 0, 0] }, { body: k, at: [0, 0, -0.265] }], axis: [0, 1, 0] })),
      springs: [], loads: [{ name: "P", end: { body: 2, at: [0, 0, 0] } }], beams: [],
    },
    frames: { axis: block([frames], load), poses: block([frames, 3, 7], poses), loads: block([frames, 1, 6], load.flatMap((p) => [0, 0, -p, 0, 0, 0])) },
    signals: { axis: block([frames], load), list: [{ name: "apex.w", unit: "m", description: "displacement of the apex" }, { name: "strain", unit: "1", description: "strain of the left bar" }], values: block([2, frames], [...down, ...down.map((w) => Math.hypot(half, height - w) / long - 1)]) },
  });
}

/** A rod that hangs down after it was modelled level: two frames, one row of signals. */
export function equilibrium(): object {
  const run = doublePendulumRun() as Record<string, any>;
  const level = [-0.5, 0, 0, ...turnY(Math.PI / 2), -1.5, 0, 0, ...turnY(Math.PI / 2)], rest = [0, 0, -0.5, 0, 0, 0, 1, 0, 0, -1.5, 0, 0, 0, 1];
  return payload({
    ...run, name: "rods", study: "equilibrium", axis: { name: "way to rest", unit: "" }, energy: undefined,
    summary: [["moved", "from the start: most lower by 2.121 m\n        by m     x m  y m     z m  turned rad\nlower  2.121     1.5    0    -1.5       1.571"]],
    frames: { axis: block([2], [0, 1]), poses: block([2, 2, 7], [...level, ...rest]) },
    signals: { axis: block([1], [0]), list: [{ name: "tip.z", unit: "m", description: "Height of the tip" }, { name: "ratio", unit: "1", description: "" }], values: block([2, 1], [-2.00000123, 0.25]) },
  });
}

/** Sixty signals of three units: far more than the page draws at first. */
export function manySignals(): object {
  const run = doublePendulumRun() as Record<string, any>;
  const n = 801, names = Array.from({ length: 60 }, (_, k) => ({ name: `s${k + 1}`, unit: ["m", "rad", "N"][k % 3], description: `signal ${k + 1}` }));
  const values = names.flatMap((_, k) => Array.from({ length: n }, (_, i) => Math.sin(0.02 * i * (1 + k / 10))));
  return payload({ ...run, signals: { axis: run.signals.axis, list: names, values: block([60, n], values, "f32") } });
}

/** Long names, long numbers, long files and many warnings. */
export function longWords(): object {
  const run = doublePendulumRun() as Record<string, any>;
  const long = "front_left_upper_suspension_arm.rear_bushing.reaction.force.in_the_axes_of_the_subframe";
  run.name = "Suspension of a vehicle with a name that nobody would want to type a second time, in the third of its variants";
  run.scene.name = run.name;
  run.scene.bodies[0].name = long;
  run.signals.list[0].name = long;
  run.summary = [["files", `${long}.parquet, ${long}_second_part_of_the_signals.svg`], ["system", "123 456 bodies, 98 765 joints, 1 234 567 coordinates"]];
  run.files = [[`${long}.parquet`, "The signals"]];
  run.checks = [
    { label: "constraints", state: "bad", value: `position    1.23456789e-11  ${long}  t = 1.234567 s  (limit 1e-8)\nvelocity    9.87654321e+123  ${long}  t = 1.234567 s`, meaning: "How far the joints are open.", at: 1.2 },
    { label: "warnings", state: "doubtful", value: Array.from({ length: 14 }, (_, k) => `warning ${k + 1}: the joint \`${long}\` is nearly singular, and what it says cannot be relied upon`).join("\n"), meaning: "" },
  ];
  run.message = `the joint \`${long}\` cannot be closed`;
  run.status = "failed";
  return payload(run);
}

/** Every shape and every kind of joint, with y upwards. */
export function zoo(): object {
  const shapes: object[] = [
    { type: "box", size: [0.3, 0.2, 0.4] }, { type: "sphere", radius: 0.18, color: "#aa3377" }, { type: "cylinder", radius: 0.14, length: 0.4 },
    { type: "tube", outer: 0.18, inner: 0.12, length: 0.4 }, { type: "cone", radius: 0.18, length: 0.4 }, { type: "capsule", radius: 0.1, length: 0.25, derived: true },
    { type: "mesh", vertices: block([4, 3], [-0.2, 0, -0.15, 0.2, 0, -0.15, 0, 0, 0.25, 0, 0.35, 0], "f32"), triangles: block([4, 3], [0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0], "u32") },
    { type: "of the future" },
  ];
  const kinds = ["pin", "ball", "clamp", "block", "sleeve", "thread", "plate", "ring", "cross", "rod", "of the future"];
  const n = shapes.length + kinds.length;
  const place = (i: number): number[] => (i < shapes.length ? [i * 0.6, 0.3, 0] : [(i - shapes.length) * 0.45, 0.3, 0.9]);
  const frames = [0, 1].map((f) => Array.from({ length: n }, (_, i) => [...place(i), ...turnX(-Math.PI / 2 + 0.3 * f)])).flat(2);
  return payload({
    ...base("zoo", "equilibrium"), axis: { name: "step", unit: "1" }, checks: [], summary: [], files: [], source: null, text: "",
    scene: {
      name: "Zoo", length: 2, up: [0, 1, 0],
      bodies: Array.from({ length: n }, (_, i) => ({ name: `body ${i}`, kind: i < shapes.length ? "body" : "point", centre: [0, 0, 0], shapes: shapes[i] ? [shapes[i]] : [] })),
      ground: [{ type: "box", size: [6, 0.05, 2.4], pose: { position: [2.2, -0.1, 0.4], rotation: [0, 0, 0, 1] } }],
      joints: kinds.map((symbol, k) => ({ name: symbol, type: symbol, symbol, ends: [{ body: shapes.length + k, at: [0, 0, 0] }, { body: null, at: [(k + 0.4) * 0.45, 0, 0.9] }], axis: k % 2 ? [1, 0, 0] : undefined, passive: true })),
      springs: [{ name: "s", ends: [{ body: 0, at: [0, 0, 0.2] }, { body: 1, at: [0, 0, 0.18] }] }], loads: [{ name: "F", end: { body: 4, at: [0, 0, 0.2] } }], beams: [],
    },
    frames: { axis: block([2], [0, 1]), poses: block([2, n, 7], frames, "f32") },
  });
}

export const comparison = (): object => payload(doublePendulumRun("loose", 1.9, 401), doublePendulumRun("tight", 1.92, 801));

/** Many bodies over many frames, as 32-bit numbers: 56 MB of poses. */
export function large(frames = 10_000, bodies = 200): object {
  const poses = new Float32Array(frames * bodies * 7);
  const t = Float64Array.from({ length: frames }, (_, f) => f * 0.002);
  const columns = 20;
  for (let f = 0, o = 0; f < frames; f++) {
    for (let i = 0; i < bodies; i++, o += 7) {
      const phase = t[f]! * (1 + 0.02 * i) + 0.3 * i, angle = phase / 2;
      poses[o] = (i % columns) * 0.5 + 0.1 * Math.cos(phase);
      poses[o + 1] = Math.floor(i / columns) * 0.5;
      poses[o + 2] = 0.4 + 0.2 * Math.sin(phase);
      poses[o + 4] = Math.sin(angle);
      poses[o + 6] = Math.cos(angle);
    }
  }
  const kinds = [{ type: "box", size: [0.2, 0.15, 0.3] }, { type: "cylinder", radius: 0.1, length: 0.3 }, { type: "sphere", radius: 0.13 }];
  return payload({
    ...base("swarm", "motion"),
    scene: {
      name: "Swarm", length: 3, up: [0, 0, 1],
      bodies: Array.from({ length: bodies }, (_, i) => ({ name: `b${i}`, kind: "body", centre: [0, 0, 0], shapes: [kinds[i % 3]] })),
      ground: [], joints: [], springs: [], loads: [], beams: [],
    },
    frames: { axis: block([frames], t), poses: block([frames, bodies, 7], poses, "f32") },
    signals: {
      axis: block([frames], t), list: Array.from({ length: 12 }, (_, k) => ({ name: `b${k}.z`, unit: "m", description: "height" })),
      values: block([12, frames], Array.from({ length: 12 * frames }, (_, j) => poses[(j % frames) * bodies * 7 + Math.floor(j / frames) * 7 + 2]!), "f32"),
    },
  });
}

/** The page with a payload, as the program writes it. */
export function fillPage(page: string, text: string): string {
  const slot = '<script type="application/json" id="poinsot-data">';
  const at = page.indexOf(`${slot}null</script>`) + slot.length;
  return page.slice(0, at) + text.replace(/</g, "\\u003c") + page.slice(at + 4);
}
