/** The solids of bodies and ground: shapes of one kind share a unit geometry and one draw call. */
import { BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, Color, ConeGeometry, CylinderGeometry, Group, type Material, SphereGeometry } from "three";
import type { Body, Scene, Shape, Vec3 } from "./data";
import { Instances, type Item, localMatrix } from "./instances";
import type { Instant } from "./poses";
import { solidColor } from "./theme";

const QUARTER = Math.PI / 2;

/**
 * Geometry of a shape, the key under which it is shared, and the scale of this copy. `n` is the number
 * of facets around: of many bodies each is small on the screen and needs fewer.
 */
function build(shape: Shape, n: number): { key: string; make: () => BufferGeometry; scale: [number, number, number] } {
  switch (shape.type) {
    case "box": return { key: "box", make: () => new BoxGeometry(), scale: shape.size };
    case "sphere": return { key: "sphere", make: () => new SphereGeometry(1, n, Math.round(n * 0.65)), scale: [shape.radius, shape.radius, shape.radius] };
    case "cylinder": return { key: "cylinder", make: () => new CylinderGeometry(1, 1, 1, n).rotateX(QUARTER), scale: [shape.radius, shape.radius, shape.length] };
    case "cone": return { key: "cone", make: () => new ConeGeometry(1, 1, n).rotateX(QUARTER), scale: [shape.radius, shape.radius, shape.length] };
    case "tube": return { key: `tube ${shape.inner / shape.outer}`, make: () => tube(shape.inner / shape.outer, n), scale: [shape.outer, shape.outer, shape.length] };
    case "capsule": return { key: `capsule ${shape.radius} ${shape.length}`, make: () => new CapsuleGeometry(shape.radius, shape.length, Math.round(n / 4), n).rotateX(QUARTER), scale: [1, 1, 1] };
    case "mesh": return { key: `mesh ${identity(shape.vertices)}`, make: () => mesh(shape.vertices, shape.triangles), scale: [1, 1, 1] };
  }
}

const identities = new WeakMap<object, number>();
let identityCount = 0;
function identity(value: object): number {
  if (!identities.has(value)) identities.set(value, identityCount++);
  return identities.get(value)!;
}

/** A hollow cylinder of outer radius and length one. */
function tube(inner: number, n: number): BufferGeometry {
  const position: number[] = [];
  const normal: number[] = [];
  const band = (r0: number, z0: number, r1: number, z1: number, nr: number, nz: number): void => {
    const corner = (i: number, r: number, z: number): void => {
      const c = Math.cos((2 * Math.PI * i) / n), s = Math.sin((2 * Math.PI * i) / n);
      position.push(r * c, r * s, z);
      normal.push(nr * c, nr * s, nz);
    };
    for (let i = 0; i < n; i++) {
      corner(i, r0, z0); corner(i + 1, r0, z0); corner(i + 1, r1, z1);
      corner(i, r0, z0); corner(i + 1, r1, z1); corner(i, r1, z1);
    }
  };
  band(1, -0.5, 1, 0.5, 1, 0);
  band(1, 0.5, inner, 0.5, 0, 1);
  band(inner, 0.5, inner, -0.5, -1, 0);
  band(inner, -0.5, 1, -0.5, 0, -1);
  return new BufferGeometry()
    .setAttribute("position", new BufferAttribute(new Float32Array(position), 3))
    .setAttribute("normal", new BufferAttribute(new Float32Array(normal), 3));
}

function mesh(vertices: ArrayLike<number>, triangles: ArrayLike<number>): BufferGeometry {
  const indexed = new BufferGeometry()
    .setAttribute("position", new BufferAttribute(Float32Array.from(vertices), 3))
    .setIndex(new BufferAttribute(Uint32Array.from(triangles), 1));
  // Flat facets: machine parts have edges, and the file does not say which of them are smooth.
  const flat = indexed.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

/** Eight points on each of two rims about z. */
function rims(radius: number, height: number): Vec3[] {
  return Array.from({ length: 16 }, (_, k) => [radius * Math.cos((k * Math.PI) / 4), radius * Math.sin((k * Math.PI) / 4), k < 8 ? -height : height]);
}

/** Outermost points of a shape in its own axes: of round ones on their surface, so that they do not grow as they turn. */
function outline(shape: Shape): Vec3[] {
  let half: Vec3;
  let middle: Vec3 = [0, 0, 0];
  switch (shape.type) {
    case "box": half = [shape.size[0] / 2, shape.size[1] / 2, shape.size[2] / 2]; break;
    case "sphere": return [...rims(0.8 * shape.radius, 0.6 * shape.radius), ...rims(shape.radius, 0), [0, 0, shape.radius], [0, 0, -shape.radius]];
    case "cylinder": case "cone": return rims(shape.radius, shape.length / 2);
    case "capsule": return [...rims(shape.radius, shape.length / 2), ...[-1, 1].map((side): Vec3 => [0, 0, side * (shape.length / 2 + shape.radius)])];
    case "tube": return rims(shape.outer, shape.length / 2);
    case "mesh": {
      const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
      for (let i = 0; i < shape.vertices.length; i++) {
        low[i % 3] = Math.min(low[i % 3]!, shape.vertices[i]!);
        high[i % 3] = Math.max(high[i % 3]!, shape.vertices[i]!);
      }
      half = [0, 1, 2].map((k) => (high[k]! - low[k]!) / 2) as Vec3;
      middle = [0, 1, 2].map((k) => (high[k]! + low[k]!) / 2) as Vec3;
    }
  }
  return Array.from({ length: 8 }, (_, c) => [0, 1, 2].map((k) => middle[k]! + (c & (1 << k) ? half[k]! : -half[k]!)) as Vec3);
}

/** Outermost points of a shape in body axes, for framing the view. */
export function shapeCorners(shape: Shape): Vec3[] {
  const e = localMatrix(shape.pose, 1, 1, 1).elements;
  return outline(shape).map(([x, y, z]) => [0, 1, 2].map((k) => e[k]! * x + e[4 + k]! * y + e[8 + k]! * z + e[12 + k]!) as Vec3);
}

/** The number of the colour of each body: bodies of one name look alike in all runs. */
export type Palette = Map<string, number>;

export function paletteOf(scenes: Scene[]): Palette {
  const palette: Palette = new Map();
  for (const { bodies } of scenes) for (const body of bodies) if (isSolid(body) && !palette.has(body.name)) palette.set(body.name, palette.size);
  return palette;
}

/** A node of a beam is drawn by the beam. */
const isSolid = (body: Body): boolean => body.kind !== "node" || body.shapes.length > 0;

export class Solids {
  readonly object = new Group();
  readonly batches: Instances[] = [];

  private constructor(items: { body: number | null; shape: Shape; color: string }[], material: Material) {
    const groups = new Map<string, { make: () => BufferGeometry; items: Item[] }>();
    for (const { body, shape, color } of items) {
      const { key, make, scale } = build(shape, items.length > 60 ? 16 : 36);
      if (!groups.has(key)) groups.set(key, { make, items: [] });
      groups.get(key)!.items.push({ body, local: localMatrix(shape.pose, ...scale), color });
    }
    for (const group of groups.values()) {
      const batch = new Instances(group.make(), material, group.items);
      this.batches.push(batch);
      this.object.add(batch.object);
    }
  }

  static ofBodies(scene: Scene, material: Material, palette: Palette): Solids {
    const items = scene.bodies.flatMap((body, i) => {
      if (!isSolid(body)) return [];
      const own = solidColor(palette.get(body.name) ?? i);
      const shapes = body.shapes.length > 0 ? body.shapes : [marker(body, scene.length)];
      return shapes.map((shape) => ({ body: i, shape, color: shade(shape, shape.color ?? own) }));
    });
    return new Solids(items, material);
  }

  static ofGround(scene: Scene, material: Material): Solids {
    return new Solids(scene.ground.map((shape) => ({ body: null, shape, color: shade(shape, shape.color ?? "#9aa3ad") })), material);
  }

  update(instant: Instant): void {
    for (const batch of this.batches) batch.update(instant);
  }

  /** Own colours, or one colour for all when the run is shown as a ghost; the selected body stands out. */
  paint(ghost: string | null, selected: number | null, select: string): void {
    const colors = new Map<string, Color>();
    const cached = (name: string): Color => colors.get(name) ?? colors.set(name, new Color(name)).get(name)!;
    for (const batch of this.batches) {
      batch.paint((item) => {
        const color = cached(ghost ?? item.color!);
        return item.body !== null && item.body === selected ? color.clone().lerp(cached(select), 0.65) : color;
      });
    }
  }
}

/** A small ball stands for a body that has no shape of its own. */
function marker(body: Body, length: number): Shape {
  return { type: "sphere", radius: length * (body.kind === "point" ? 0.016 : 0.022), pose: { position: body.centre, rotation: [0, 0, 0, 1] }, derived: true };
}

const white = new Color("#ffffff");
function shade(shape: Shape, color: string): string {
  return shape.derived ? `#${new Color(color).lerp(white, 0.22).getHexString()}` : color;
}

