/** The viridis colour map: even steps of lightness, legible with any colour vision and in print. */

const VIRIDIS = [0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725];
export const VIRIDIS_CSS = VIRIDIS.map((color) => `#${color.toString(16).padStart(6, "0")}`).join(", ");

/** Writes the colour of u in 0…1 as linear light, as the renderer wants vertex colours. */
export function viridis(u: number, out: Float32Array, o: number): void {
  const x = Math.min(Math.max(u, 0), 1) * (VIRIDIS.length - 1);
  const i = Math.min(Math.floor(x), VIRIDIS.length - 2);
  for (let k = 0; k < 3; k++) {
    const a = (VIRIDIS[i]! >> (16 - 8 * k)) & 255;
    const b = (VIRIDIS[i + 1]! >> (16 - 8 * k)) & 255;
    out[o + k] = ((a + (x - i) * (b - a)) / 255) ** 2.2;
  }
}
