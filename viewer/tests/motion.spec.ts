import { expect, test } from "vitest";
import { baseRate, Clock } from "../src/clock";
import type { Body, Mode } from "../src/data";
import { applyMode, exaggerate, interpolatePoses, place, poseMatrix, slerp } from "../src/poses";
import { roundNumber } from "../src/round";
import { Track } from "../src/track";

const about = (axis: 0 | 1 | 2, angle: number): number[] => {
  const q = [0, 0, 0, Math.cos(angle / 2)];
  q[axis] = Math.sin(angle / 2);
  return q;
};

test("slerp turns evenly and takes the short way", () => {
  const out = new Float64Array(4);
  slerp(about(2, 0.2), 0, about(2, 1.4), 0, 0.25, out, 0);
  about(2, 0.5).forEach((value, k) => expect(out[k]).toBeCloseTo(value, 14));
  slerp(about(2, 0.2), 0, about(2, 1.4).map((x) => -x), 0, 0.25, out, 0);
  about(2, 0.5).forEach((value, k) => expect(out[k]).toBeCloseTo(value, 14));
});

test("poses between frames", () => {
  const frames = Float64Array.from([0, 0, 0, ...about(0, 0), 2, 4, 6, ...about(0, 1)]);
  const out = new Float64Array(7);
  interpolatePoses(frames, 1, 0, 0.5, out);
  expect([...out.subarray(0, 3)]).toEqual([1, 2, 3]);
  about(0, 0.5).forEach((value, k) => expect(out[3 + k]).toBeCloseTo(value, 14));
  interpolatePoses(frames, 1, 1, 0, out);
  expect([...out.subarray(0, 3)]).toEqual([2, 4, 6]);
});

test("matrix and place agree", () => {
  const pose = [1, 2, 3, ...about(1, 0.7)], at = [0.3, -0.2, 0.9], m = new Float64Array(16), out = [0, 0, 0];
  poseMatrix(pose, 0, m, 0);
  place(pose, 0, at, out);
  for (let k = 0; k < 3; k++) expect(out[k]).toBeCloseTo(m[k]! * at[0]! + m[4 + k]! * at[1]! + m[8 + k]! * at[2]! + m[12 + k]!, 14);
});

test("a mode moves the centre by its translation and turns about it", () => {
  const body = { centre: [1, 0, 0] } as unknown as Body;
  const mode = { bodies: [{ translation: { re: [0, 0, 0.5], im: [0, 0.2, 0] }, rotation: { re: [0, 0, Math.PI / 2], im: [0, 0, 0] } }] } as unknown as Mode;
  const poses = Float64Array.from([0, 0, 0, 0, 0, 0, 1]);
  applyMode(mode, [body], 0, 1, poses);
  const centre = [0, 0, 0];
  place(poses, 0, [1, 0, 0], centre);
  [1, 0, 0.5].forEach((value, k) => expect(centre[k]).toBeCloseTo(value, 14));
  about(2, Math.PI / 2).forEach((value, k) => expect(poses[3 + k]).toBeCloseTo(value, 14));
  poses.set([0, 0, 0, 0, 0, 0, 1]);
  applyMode(mode, [body], Math.PI / 2, 1, poses); // Re(a i) = −im
  place(poses, 0, [1, 0, 0], centre);
  [1, -0.2, 0].forEach((value, k) => expect(centre[k]).toBeCloseTo(value, 12));
});

test("track by value: places, ends, steps, repeated values", () => {
  const track = new Track(Float64Array.of(0, 1, 1, 3));
  expect(track.byValue).toBe(true);
  expect(track.locate(2)).toMatchObject({ frame: 2, fraction: 0.5 });
  expect(track.locate(-1)).toMatchObject({ frame: 0, fraction: 0 });
  expect(track.locate(9)).toMatchObject({ frame: 3, fraction: 0 });
  expect(track.sample(Float64Array.of(0, 10, 20, 40), 2)).toBe(30);
  expect(track.step(0, 1)).toBe(1);
  expect(track.step(1, 1)).toBe(3);
  expect(track.step(3, -1)).toBe(1);
  expect(track.step(1, -1)).toBe(0);
  expect(track.step(2, -1)).toBe(1);
  expect(track.step(3, 1)).toBe(3);
});

test("track by frame when the axis turns back", () => {
  const track = new Track(Float64Array.of(0, 5, 3, 8));
  expect(track.byValue).toBe(false);
  expect([track.start, track.end]).toEqual([0, 3]);
  expect(track.value(1.5)).toBe(4);
  expect(track.positionOf(3)).toBe(2);
  expect(track.step(1.5, 1)).toBe(2);
  expect(new Track(Float64Array.of(0, 1, 2)).follow(track, 1.5)).toBe(1);
});

test("playback does not depend on the frame rate", () => {
  const run = (step: number): number => {
    const clock = new Clock();
    clock.setSpan(0, 10, 2);
    clock.play(true);
    for (let i = 0; i < Math.round(3.5 / step); i++) clock.advance(step);
    return clock.position;
  };
  expect(run(0.5)).toBeCloseTo(7, 9);
  expect(run(0.001)).toBeCloseTo(7, 9);
});

test("playback repeats or stops at the end", () => {
  const clock = new Clock();
  clock.setSpan(1, 3, 1);
  clock.position = 1;
  clock.play(true);
  clock.advance(2.5);
  expect(clock.position).toBeCloseTo(1.5, 12);
  clock.loop = false;
  clock.advance(9);
  expect([clock.position, clock.playing]).toEqual([3, false]);
  clock.play(true);
  expect(clock.position).toBe(1);
});

test("long and short runs last some ten seconds, others run in real time", () => {
  expect(baseRate(10, true)).toBe(1);
  for (const duration of [1e-3, 0.4, 70, 3600, 1e6]) {
    const lasts = duration / baseRate(duration, true);
    expect(lasts).toBeGreaterThan(6);
    expect(lasts).toBeLessThan(16);
  }
  expect(baseRate(0, true)).toBe(1);
  expect([0.13, 1, 3, 7, 9].map(roundNumber)).toEqual([0.1, 1, 2, 5, 10]);
});

test("displacements are enlarged along their way and turns about their axis", () => {
  const first = [1, 2, 3, ...about(2, 0.2), 0, 0, 0, ...about(0, 1)];
  const poses = Float64Array.from([1.1, 2, 2.9, ...about(2, 0.25), 0, 0, 0, ...about(0, 1)]);
  exaggerate(Float64Array.from(first), 2, 10, poses);
  [2, 2, 2, ...about(2, 0.7), 0, 0, 0, ...about(0, 1)].forEach((value, i) => expect(poses[i]).toBeCloseTo(value, 12));
});
