import { expect, test } from "vitest";
import { crc32, decodeBase64, PayloadError, readBlock } from "../src/blocks";
import { block } from "./payloads";

const none = async (): Promise<ArrayBuffer> => new ArrayBuffer(0);

test("base64 of every length", () => {
  for (let n = 0; n < 40; n++) {
    const bytes = Uint8Array.from({ length: n }, (_, i) => (i * 83 + n * 7) & 255);
    expect(new Uint8Array(decodeBase64(Buffer.from(bytes).toString("base64"), "x"))).toEqual(bytes);
  }
});

test("base64 that is cut off or foreign is refused", () => {
  expect(() => decodeBase64("AAAAA", "x")).toThrow(/cut off/);
  expect(() => decodeBase64("AA*A", "x")).toThrow(/characters/);
  expect(() => decodeBase64("AAé=", "x")).toThrow(PayloadError);
});

test("40 MB of base64 decode quickly", () => {
  const text = Buffer.alloc(30_000_000, 7).toString("base64");
  const start = performance.now();
  expect(decodeBase64(text, "x").byteLength).toBe(30_000_000);
  expect(performance.now() - start).toBeLessThan(2000);
});

test("the checksum is that of PNG and gzip", () => {
  // The check value in the catalogue of parametrised CRC algorithms (CRC-32/ISO-HDLC).
  expect(crc32(new TextEncoder().encode("123456789").buffer)).toBe(0xcbf43926);
});

test("blocks keep values and shape", async () => {
  const { shape, values } = await readBlock(block([2, 3], [1, 2, 3, 4, 5, 6.5]), "x", [2, -1], none);
  expect(shape).toEqual([2, 3]);
  expect([...values]).toEqual([1, 2, 3, 4, 5, 6.5]);
  expect((await readBlock(block([1], [7], "u32"), "x", [1], none)).values).toBeInstanceOf(Uint32Array);
});

test("a block from an address is fetched", async () => {
  const load = async (url: string): Promise<ArrayBuffer> => Float32Array.of(url.length, 2).buffer;
  expect([...(await readBlock({ type: "f32", shape: [2], url: "api/b" }, "x", [2], load)).values]).toEqual([5, 2]);
});

test.each([
  ["short", { ...block([2], [1, 2]), shape: [3] }, [3], /16 bytes.*needs 24/],
  ["changed", { ...block([2], [1, 2]), crc: 7 }, [2], /checksum differs/],
  ["other shape", block([2], [1, 2]), [3], /shape 2, expected 3/],
  ["rank", block([2], [1, 2]), [1, 2], /expected 1 × 2/],
  ["type", { type: "i8", shape: [1], data: "" }, [1], /unknown number type/],
  ["missing", null, [1], /missing/],
  ["no data", { type: "f32", shape: [1] }, [1], /neither/],
  ["bad shape", { type: "f32", shape: [-1], data: "" }, [-1], /valid shape/],
])("a block that is wrong: %s", async (_, value, shape, message) => {
  await expect(readBlock(value, "frames.axis", shape as number[], none)).rejects.toThrow(message as RegExp);
});
