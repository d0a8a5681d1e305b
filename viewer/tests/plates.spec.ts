import { expect, test } from "vitest";
import { PlateGrid } from "../src/plates";

/** Nodes on a quarter of a cylinder of radius 1 about y, 2 long, with axes along it, across and normal to it. */
function quarter([nu, nv]: [number, number], stretched: number): { grid: PlateGrid; poses: Float64Array } {
  const poses: number[] = [], slopes: number[] = [];
  for (let j = 0; j <= nv; j++) for (let i = 0; i <= nu; i++) {
    const angle = (0.5 * Math.PI * i) / nu;
    poses.push(stretched * Math.sin(angle), (stretched * 2 * j) / nv, stretched * (1 - Math.cos(angle)), 0, -Math.sin(angle / 2), 0, Math.cos(angle / 2));
    slopes.push((0.5 * Math.PI) / nu, 0, 0, 0, 2 / nv, 0);
  }
  const nodes = poses.map((_, k) => k).slice(0, poses.length / 7);
  return { grid: new PlateGrid({ name: "shell", nodes, elements: [nu, nv], first: 0, slopes: Float64Array.from(slopes), thickness: 0.1 }), poses: Float64Array.from(poses) };
}

test.each([1, 1.5])("a bent plate is round and as long as its edges, stretched %s", (stretched) => {
  const { grid, poses } = quarter([2, 1], stretched);
  grid.update(poses);
  expect(grid.size).toEqual([13, 7]);
  for (let i = 0; i < grid.points.length; i += 3) {
    const radius = Math.hypot(grid.points[i]!, grid.points[i + 2]! - stretched);
    expect(Math.abs(radius / stretched - 1)).toBeLessThan(3e-4);
  }
});
