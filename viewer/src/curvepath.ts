/** From samples to the segments that are drawn. */
import type { Numbers } from "./blocks";

/** Straight segments; of many points in one pixel column only the first, least, greatest and last are drawn. */
export function tracePath(path: Pick<Path2D, "moveTo" | "lineTo">, xs: Numbers, ys: Numbers, rising: boolean, toX: (x: number) => number, toY: (y: number) => number, breaks?: ReadonlySet<number>): void {
  let pen = false;
  let column = NaN, low = 0, high = 0, last = 0;
  const flush = (): void => {
    if (!pen || Number.isNaN(column)) return;
    if (low !== last) path.lineTo(column, low);
    if (high !== last) path.lineTo(column, high);
    path.lineTo(column, last);
  };
  let lastX = 0, lastY = 0;
  for (let i = 0; i < xs.length; i++) {
    const x = toX(xs[i]!), y = toY(ys[i]!);
    if (breaks?.has(i)) {
      flush();
      pen = false;
      column = NaN;
    }
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      flush();
      pen = false;
      column = NaN;
      continue;
    }
    if (!pen) {
      path.moveTo(x, y);
      pen = true;
      column = NaN;
      lastX = x;
      lastY = y;
      continue;
    }
    if (!rising) {
      if (Math.abs(x - lastX) + Math.abs(y - lastY) < 0.4 && i < xs.length - 1 && !breaks?.has(i + 1)) continue;
      path.lineTo(x, y);
      lastX = x;
      lastY = y;
      continue;
    }
    const pixel = Math.round(x * 2) / 2;
    if (pixel === column) {
      low = Math.min(low, y);
      high = Math.max(high, y);
      last = y;
    } else {
      flush();
      column = pixel;
      low = high = last = y;
    }
  }
  flush();
}
