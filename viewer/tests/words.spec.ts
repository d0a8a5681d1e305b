import { expect, test } from "vitest";
import { columnsOf } from "../src/dom";

test("columns are found where all lines have room between them", () => {
  const lines = ["        by m     x m  turned rad", "lower  2.121     1.5       1.571", "b          1      -2           0"];
  expect(columnsOf(lines).map(([from, to]) => lines.map((line) => line.slice(from, to).trim()))).toEqual([["", "lower", "b"], ["by m", "2.121", "1"], ["x m", "1.5", "-2"], ["turned rad", "1.571", "0"]]);
  expect(columnsOf(["one  two words", "a    b"])).toEqual([[0, 3], [5, 14]]);
});
