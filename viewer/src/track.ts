/** What the timeline runs over: where a position lies between the frames of a run. */
import type { Numbers } from "./blocks";

/**
 * A rising axis (time, a monotone load) is its own position. A load path may turn back, so there the
 * position is the frame number and the axis value is only shown.
 */
export class Track {
  readonly byValue: boolean;
  readonly start: number;
  readonly end: number;
  /** Result of the last locate(): the frame before the position and the fraction of the way to the next. */
  frame = 0;
  fraction = 0;

  constructor(readonly axis: Numbers) {
    const last = axis.length - 1;
    let rising = last > 0 && axis[last]! > axis[0]!;
    for (let i = 0; rising && i < last; i++) rising = axis[i + 1]! >= axis[i]!;
    this.byValue = rising;
    this.start = rising ? axis[0]! : 0;
    this.end = rising ? axis[last]! : last;
  }

  locate(position: number): this {
    const last = this.axis.length - 1;
    if (!(position > this.start)) return this.set(0, 0);
    if (position >= this.end) return this.set(last, 0);
    if (!this.byValue) return this.set(Math.floor(position), position - Math.floor(position));
    const axis = this.axis;
    let low = 0;
    let high = last;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (axis[middle]! <= position) low = middle;
      else high = middle;
    }
    return this.set(low, (position - axis[low]!) / (axis[high]! - axis[low]!));
  }

  private set(frame: number, fraction: number): this {
    this.frame = frame;
    this.fraction = fraction;
    return this;
  }

  /** Axis value at a position. */
  value(position: number): number {
    return this.byValue ? Math.min(Math.max(position, this.start), this.end) : this.sample(this.axis, position);
  }

  /** Linear interpolation of a row that has one number per point of the axis. */
  sample(row: Numbers, position: number): number {
    const { frame, fraction } = this.locate(position);
    const a = row[frame]!;
    return fraction === 0 ? a : a + fraction * (row[frame + 1]! - a);
  }

  /** Position with a given axis value: the first one when the axis turns back. */
  positionOf(value: number): number {
    if (this.byValue) return Math.min(Math.max(value, this.start), this.end);
    let best = 0;
    for (let i = 0; i < this.axis.length; i++) if (Math.abs(this.axis[i]! - value) < Math.abs(this.axis[best]! - value)) best = i;
    return best;
  }

  /** Position of a frame; the axis may repeat a value where an event splits it. */
  positionOfFrame(frame: number): number {
    const k = Math.min(Math.max(frame, 0), this.axis.length - 1);
    return this.byValue ? this.axis[k]! : k;
  }

  step(position: number, by: number): number {
    const { frame, fraction } = this.locate(position);
    let k = by < 0 && fraction > 0 ? frame + 1 + by : frame + by;
    while (by > 0 && k < this.axis.length - 1 && this.positionOfFrame(k) <= position) k++;
    while (by < 0 && k > 0 && this.positionOfFrame(k) >= position) k--;
    return this.positionOfFrame(k);
  }

  /** The same place on another track: equal values where both have them, else the same share of the way. */
  follow(other: Track, position: number): number {
    if (this.byValue && other.byValue) return position;
    const share = other.end > other.start ? (position - other.start) / (other.end - other.start) : 0;
    return this.start + share * (this.end - this.start);
  }
}
