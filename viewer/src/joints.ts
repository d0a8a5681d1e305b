/** Signs for joints: a pin, a ball, a slider … at the first end, with the joint's axis. */
import { BoxGeometry, type BufferGeometry, CylinderGeometry, Group, MeshLambertMaterial, OctahedronGeometry, SphereGeometry, TorusGeometry } from "three";
import type { Joint, Scene, Vec3 } from "./data";
import { alongAxis, Instances, type Item } from "./instances";
import { Links } from "./links";
import type { Instant } from "./poses";

const upright = (geometry: BufferGeometry): BufferGeometry => geometry.rotateX(Math.PI / 2);

/** Unit geometries along z, of radius one and length one, and the size they are drawn with. */
const SIGNS: Record<string, { make: () => BufferGeometry; radius: number; length: number }> = {
  pin: { make: () => upright(new CylinderGeometry(1, 1, 1, 24)), radius: 0.016, length: 0.085 },
  sleeve: { make: () => upright(new CylinderGeometry(1, 1, 1, 24)), radius: 0.02, length: 0.13 },
  thread: { make: () => upright(new CylinderGeometry(1, 1, 1, 24)), radius: 0.02, length: 0.13 },
  ball: { make: () => new SphereGeometry(1, 24, 16), radius: 0.026, length: 0.026 },
  block: { make: () => new BoxGeometry(2, 2, 1), radius: 0.022, length: 0.1 },
  clamp: { make: () => new BoxGeometry(2, 2, 1), radius: 0.02, length: 0.04 },
  plate: { make: () => upright(new CylinderGeometry(1, 1, 1, 32)), radius: 0.06, length: 0.006 },
  ring: { make: () => new TorusGeometry(1, 0.22, 10, 32), radius: 0.03, length: 0.03 },
  cross: { make: () => new OctahedronGeometry(1.2), radius: 0.024, length: 0.024 },
  axis: { make: () => upright(new CylinderGeometry(1, 1, 1, 8)), radius: 0.0028, length: 0.34 },
};

/** The sign of a symbol that the scene names; a cross for one that is not known. */
const signOf = (symbol: string): keyof typeof SIGNS => (symbol in SIGNS ? symbol : "cross");

export class Joints {
  readonly object = new Group();
  readonly signs: { instances: Instances; joints: Joint[] }[] = [];
  private readonly rods: Links;
  private readonly material = new MeshLambertMaterial();

  constructor(scene: Scene) {
    const groups = new Map<string, { items: Item[]; joints: Joint[] }>();
    const add = (sign: string, joint: Joint, radius: number, length: number): void => {
      const { body, at } = joint.ends[0];
      const axis: Vec3 = joint.axis && Math.hypot(...joint.axis) > 0 ? joint.axis : [0, 0, 1];
      if (!groups.has(sign)) groups.set(sign, { items: [], joints: [] });
      groups.get(sign)!.items.push({ body, local: alongAxis(at, axis, radius * scene.length, length * scene.length) });
      groups.get(sign)!.joints.push(joint);
    };
    const distances = scene.joints.filter(({ symbol }) => symbol === "rod");
    for (const joint of scene.joints) {
      if (distances.includes(joint)) continue;
      const sign = signOf(joint.symbol);
      add(sign, joint, SIGNS[sign]!.radius, SIGNS[sign]!.length);
      if (joint.axis) add("axis", joint, SIGNS.axis!.radius, SIGNS.axis!.length);
    }
    for (const [sign, { items, joints }] of groups) {
      const instances = new Instances(SIGNS[sign]!.make(), this.material, items);
      this.signs.push({ instances, joints });
      this.object.add(instances.object);
    }
    this.rods = new Links(upright(new CylinderGeometry(1, 1, 1, 12)).translate(0, 0, 0.5), this.material, distances.map(({ ends }) => ends), 0.006 * scene.length);
    this.object.add(this.rods.object);
  }

  paint(color: string): void {
    this.material.color.set(color);
  }

  update(instant: Instant): void {
    for (const { instances } of this.signs) instances.update(instant);
    this.rods.update(instant);
  }
}
