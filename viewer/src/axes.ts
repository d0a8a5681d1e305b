/** Axes of bodies and of beam sections: x red, y green, z blue, as everywhere in mechanics. */
import { BufferAttribute, BufferGeometry, CylinderGeometry, Color, Matrix4, MeshBasicMaterial } from "three";
import { Instances } from "./instances";

function triad(): BufferGeometry {
  const bars = [new Matrix4().makeRotationZ(-Math.PI / 2), new Matrix4(), new Matrix4().makeRotationX(Math.PI / 2)];
  const colors = ["#d43d3d", "#2f9e44", "#3b6fe0"].map((name) => new Color(name));
  const position: number[] = [];
  const color: number[] = [];
  bars.forEach((turn, k) => {
    const bar = new CylinderGeometry(0.022, 0.022, 1, 8).translate(0, 0.5, 0).applyMatrix4(turn).toNonIndexed();
    const points = bar.getAttribute("position").array;
    position.push(...points);
    for (let i = 0; i < points.length; i += 3) color.push(...colors[k]!.toArray());
  });
  return new BufferGeometry()
    .setAttribute("position", new BufferAttribute(new Float32Array(position), 3))
    .setAttribute("color", new BufferAttribute(new Float32Array(color), 3));
}

/** A triad in each of the bodies. */
export function axesOf(bodies: number[], size: number): Instances {
  return new Instances(triad(), new MeshBasicMaterial({ vertexColors: true }), bodies.map((body) => ({ body, local: new Matrix4().makeScale(size, size, size) })));
}
