/** The camera: it circles a target; the same state serves several panes, so side by side stays in step. */
import { Matrix4, OrthographicCamera, PerspectiveCamera, Vector3 } from "three";
import type { Vec3 } from "./data";
import { reducedMotion } from "./dom";

export const VIEWS = {
  front: [0, 0], back: [180, 0], right: [90, 0], left: [-90, 0], top: [0, 90], bottom: [0, -90], oblique: [32, 24],
} as const;
export type ViewName = keyof typeof VIEWS;

export interface CameraState { target: Vec3; azimuth: number; elevation: number; distance: number; orthographic: boolean }

const TAN = Math.tan((15 * Math.PI) / 180); // half the field of view; a long lens keeps machines straight
const MARGIN = 1.2;

export class Rig {
  readonly target = new Vector3();
  azimuth = 0;
  elevation = 0;
  distance = 5;
  orthographic = false;
  private readonly perspective = new PerspectiveCamera(30);
  private readonly parallel = new OrthographicCamera();
  private readonly up: Vector3;
  private readonly right: Vector3;
  private readonly front: Vector3;
  /** Axes of the picture: to the right, upwards, towards the viewer. */
  readonly x = new Vector3();
  readonly y = new Vector3();
  readonly z = new Vector3();
  private readonly matrix = new Matrix4();
  private move: { from: CameraState; to: CameraState; share: number } | null = null;

  constructor(up: Vec3) {
    this.up = new Vector3(...up).normalize();
    const side = Math.abs(this.up.x) > 0.9 ? new Vector3(0, 1, 0) : new Vector3(1, 0, 0);
    this.right = side.addScaledVector(this.up, -side.dot(this.up)).normalize();
    this.front = new Vector3().crossVectors(this.right, this.up);
    this.turn();
  }

  private turn(): void {
    const ca = Math.cos(this.azimuth), sa = Math.sin(this.azimuth), ce = Math.cos(this.elevation), se = Math.sin(this.elevation);
    this.x.set(0, 0, 0).addScaledVector(this.right, ca).addScaledVector(this.front, -sa);
    this.z.set(0, 0, 0).addScaledVector(this.front, ca * ce).addScaledVector(this.right, sa * ce).addScaledVector(this.up, se);
    this.y.crossVectors(this.z, this.x);
  }

  /** The three.js camera for a pane of this shape. */
  camera(aspect: number): PerspectiveCamera | OrthographicCamera {
    const camera = this.orthographic ? this.parallel : this.perspective;
    camera.position.copy(this.target).addScaledVector(this.z, this.distance);
    camera.quaternion.setFromRotationMatrix(this.matrix.makeBasis(this.x, this.y, this.z));
    camera.near = this.distance * 0.02;
    camera.far = this.distance * 40;
    if (camera === this.parallel) {
      const half = this.distance * TAN;
      camera.near = -this.distance * 20; // nothing is behind a parallel camera
      camera.left = -half * aspect;
      camera.right = half * aspect;
      camera.top = half;
      camera.bottom = -half;
    } else {
      this.perspective.aspect = aspect;
    }
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    return camera;
  }

  orbit(dx: number, dy: number): void {
    this.move = null;
    this.azimuth -= dx;
    this.elevation = Math.min(Math.max(this.elevation + dy, -Math.PI / 2), Math.PI / 2);
    this.turn();
  }

  /** Moves by shares of the pane's height. */
  pan(dx: number, dy: number): void {
    this.move = null;
    const size = 2 * TAN * this.distance;
    this.target.addScaledVector(this.x, -dx * size).addScaledVector(this.y, dy * size);
  }

  /** Zooms about a point of the picture, given in shares of the height from the middle. */
  zoom(factor: number, x = 0, y = 0): void {
    this.move = null;
    const size = 2 * TAN * this.distance * (1 - factor);
    this.target.addScaledVector(this.x, x * size).addScaledVector(this.y, y * size);
    this.distance *= factor;
  }

  look(name: ViewName): void {
    const [azimuth, elevation] = VIEWS[name];
    this.azimuth = (azimuth * Math.PI) / 180;
    this.elevation = (elevation * Math.PI) / 180;
    this.turn();
  }

  /** A flat mechanism is seen from its open side, a little from above; others obliquely. */
  lookAtBest(points: Float64Array): void {
    const extent = (axis: Vector3): number => {
      let low = Infinity, high = -Infinity;
      for (let i = 0; i < points.length; i += 3) {
        const d = points[i]! * axis.x + points[i + 1]! * axis.y + points[i + 2]! * axis.z;
        low = Math.min(low, d);
        high = Math.max(high, d);
      }
      return high - low;
    };
    const along = [extent(this.front), extent(this.right), extent(this.up)] as const;
    const flat = (k: 0 | 1 | 2): boolean => along[k] < 0.5 * Math.min(along[(k + 1) % 3]!, along[(k + 2) % 3]!);
    this.look("oblique");
    if (flat(0)) this.set(16, 12);
    else if (flat(1)) this.set(74, 12);
    else if (flat(2)) this.set(24, 42);
  }

  private set(azimuth: number, elevation: number): void {
    this.azimuth = (azimuth * Math.PI) / 180;
    this.elevation = (elevation * Math.PI) / 180;
    this.turn();
  }

  /** The smallest distance from which all points are in the picture, in the present direction. */
  fit(points: Float64Array, aspect: number): void {
    const ty = TAN / MARGIN, tx = ty * aspect;
    const persp = this.orthographic ? 0 : 1;
    let left = -Infinity, right = -Infinity, below = -Infinity, above = -Infinity, near = -Infinity, far = Infinity;
    for (let i = 0; i < points.length; i += 3) {
      const a = points[i]!, b = points[i + 1]!, c = points[i + 2]!;
      const px = a * this.x.x + b * this.x.y + c * this.x.z;
      const py = a * this.y.x + b * this.y.y + c * this.y.z;
      const pz = a * this.z.x + b * this.z.y + c * this.z.z;
      right = Math.max(right, px + persp * tx * pz);
      left = Math.max(left, -px + persp * tx * pz);
      above = Math.max(above, py + persp * ty * pz);
      below = Math.max(below, -py + persp * ty * pz);
      near = Math.max(near, pz);
      far = Math.min(far, pz);
    }
    const middle = (near + far) / 2;
    const needed = Math.max((right + left) / (2 * tx), (above + below) / (2 * ty)) - persp * middle;
    this.target.set(0, 0, 0).addScaledVector(this.x, (right - left) / 2).addScaledVector(this.y, (above - below) / 2).addScaledVector(this.z, middle);
    this.distance = Math.max(needed, 1e-6);
  }

  get state(): CameraState {
    return { target: this.target.toArray() as Vec3, azimuth: this.azimuth, elevation: this.elevation, distance: this.distance, orthographic: this.orthographic };
  }

  set state(state: CameraState) {
    this.target.set(...state.target);
    this.azimuth = state.azimuth;
    this.elevation = state.elevation;
    this.distance = state.distance;
    this.orthographic = state.orthographic;
    this.turn();
  }

  /** Makes a change and travels there smoothly, unless the reader asked for no motion. */
  glide(change: () => void): void {
    const from = this.state;
    change();
    const to = this.state;
    if (reducedMotion()) return;
    const turn = to.azimuth - from.azimuth;
    from.azimuth += Math.round(turn / (2 * Math.PI)) * 2 * Math.PI;
    this.state = { ...from, orthographic: to.orthographic };
    this.move = { from, to, share: 0 };
  }

  /** Advances a glide; true while it lasts. */
  advance(seconds: number): boolean {
    if (!this.move) return false;
    this.move.share = Math.min(1, this.move.share + seconds / 0.35);
    const { from, to, share } = this.move;
    const u = share * share * (3 - 2 * share);
    const mix = (a: number, b: number): number => a + u * (b - a);
    this.state = {
      target: [0, 1, 2].map((k) => mix(from.target[k]!, to.target[k]!)) as Vec3,
      azimuth: mix(from.azimuth, to.azimuth), elevation: mix(from.elevation, to.elevation),
      distance: Math.exp(mix(Math.log(from.distance), Math.log(to.distance))), orthographic: to.orthographic,
    };
    if (share === 1) this.move = null;
    return true;
  }
}
