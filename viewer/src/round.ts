/** 1, 2 or 5 times a power of ten: the round number next to a length or a rate. */
export function roundNumber(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const share = value / power;
  return (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10) * power;
}
