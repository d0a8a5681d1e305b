/** Number blocks of the payload: base64 or a fetched buffer, little endian, decoded once into typed arrays. */

export type Numbers = Float32Array | Float64Array | Uint32Array;

/** What is wrong with the results and what the reader can do about it. */
export class PayloadError extends Error {
  constructor(message: string, readonly remedy = "The file seems cut short or changed. Run the study again to write a new report.") {
    super(message);
  }
}

const DIGIT = new Uint8Array(256).fill(255);
for (let i = 0; i < 64; i++) DIGIT["ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".charCodeAt(i)] = i;

/** Decodes base64 by a table over bytes: a report may hold 100 MB, and atob would double that as a string. */
export function decodeBase64(text: string, where: string): ArrayBuffer {
  const code = new TextEncoder().encode(text);
  let length = code.length;
  while (length > 0 && code[length - 1] === 61) length--;
  if (length % 4 === 1) throw new PayloadError(`${where}: the base64 text is cut off`);
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  const whole = length - (length % 4);
  let out = 0;
  let seen = 0;
  for (let i = 0; i < whole; i += 4) {
    const a = DIGIT[code[i]!]!, b = DIGIT[code[i + 1]!]!, c = DIGIT[code[i + 2]!]!, d = DIGIT[code[i + 3]!]!;
    seen |= a | b | c | d;
    bytes[out] = (a << 2) | (b >> 4);
    bytes[out + 1] = (b << 4) | (c >> 2);
    bytes[out + 2] = (c << 6) | d;
    out += 3;
  }
  if (length > whole) {
    const a = DIGIT[code[whole]!]!, b = DIGIT[code[whole + 1]!]!, c = length - whole > 2 ? DIGIT[code[whole + 2]!]! : 0;
    seen |= a | b | c;
    bytes[out++] = (a << 2) | (b >> 4);
    if (length - whole > 2) bytes[out] = (b << 4) | (c >> 2);
  }
  if (seen > 63) throw new PayloadError(`${where}: the base64 text holds characters that do not belong there`);
  return bytes.buffer;
}

const CRC = Uint32Array.from({ length: 256 }, (_, i) => {
  let rest = i;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

/** CRC-32 as in PNG and gzip: a changed digit of base64 is still a number, only this tells that it is another one. */
export function crc32(buffer: ArrayBuffer): number {
  const bytes = new Uint8Array(buffer);
  let rest = -1;
  for (let i = 0; i < bytes.length; i++) rest = CRC[(rest ^ bytes[i]!) & 255]! ^ (rest >>> 8);
  return ~rest >>> 0;
}

const SIZES = { f32: 4, f64: 8, u32: 4 } as const;

export type Load = (url: string) => Promise<ArrayBuffer>;

/** Reads a block and checks it against the shape the reader expects; -1 leaves a dimension free. */
export async function readBlock(value: unknown, where: string, expected: number[], load: Load): Promise<{ shape: number[]; values: Numbers }> {
  const block = value as { type?: unknown; shape?: unknown; data?: unknown; crc?: unknown; url?: unknown } | null;
  if (typeof block !== "object" || block === null) throw new PayloadError(`${where}: a block of numbers is missing`);
  const type = block.type as keyof typeof SIZES;
  if (!(type in SIZES)) throw new PayloadError(`${where}: unknown number type “${String(block.type)}”`);
  const shape = block.shape;
  if (!Array.isArray(shape) || !shape.every((n) => Number.isSafeInteger(n) && n >= 0)) throw new PayloadError(`${where}: the block has no valid shape`);
  if (shape.length !== expected.length || expected.some((n, i) => n >= 0 && n !== shape[i])) {
    const words = expected.map((n) => (n < 0 ? "any" : n)).join(" × ");
    throw new PayloadError(`${where}: the block has the shape ${shape.join(" × ")}, expected ${words}`);
  }
  let buffer: ArrayBuffer;
  if (typeof block.data === "string") buffer = decodeBase64(block.data, where);
  else if (typeof block.url === "string") buffer = await load(block.url);
  else throw new PayloadError(`${where}: the block holds neither data nor an address`);
  const count = shape.reduce((a: number, b: number) => a * b, 1);
  if (buffer.byteLength < count * SIZES[type]) {
    throw new PayloadError(`${where}: the block holds ${buffer.byteLength} bytes, its shape ${shape.join(" × ")} needs ${count * SIZES[type]}`);
  }
  if (typeof block.crc === "number" && crc32(buffer) !== block.crc) throw new PayloadError(`${where}: the numbers are not those that were written (their checksum differs)`);
  const make = { f32: Float32Array, f64: Float64Array, u32: Uint32Array }[type];
  return { shape, values: new make(buffer, 0, count) };
}
