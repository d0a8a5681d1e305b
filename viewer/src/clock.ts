/** Playback: how far the position moves in a span of real time, whatever the frame rate. */
import { roundNumber } from "./round";

export const SPEEDS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/** Axis units per second at speed one: real time, or round so that the whole lasts some 10 s. */
export function baseRate(duration: number, isTime: boolean): number {
  if (!(duration > 0)) return 1;
  if (isTime && duration >= 1.5 && duration <= 30) return 1;
  return roundNumber(duration / 10);
}

export class Clock {
  position = 0;
  start = 0;
  end = 1;
  rate = 1;
  speed = 1;
  loop = true;
  playing = false;

  setSpan(start: number, end: number, rate: number): void {
    this.start = start;
    this.end = end;
    this.rate = rate;
    this.jump(this.position);
  }

  jump(position: number): void {
    this.position = Math.min(Math.max(position, this.start), this.end);
  }

  play(on: boolean): void {
    if (on && this.position >= this.end && !this.loop) this.position = this.start;
    this.playing = on && this.end > this.start;
  }

  advance(seconds: number): void {
    if (!this.playing) return;
    const length = this.end - this.start;
    let next = this.position + seconds * this.rate * this.speed;
    if (next >= this.end) {
      if (this.loop) next = this.start + ((next - this.start) % length);
      else {
        next = this.end;
        this.playing = false;
      }
    }
    this.position = next;
  }
}
