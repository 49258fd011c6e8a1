// 64-bit integers as two 32-bit halves. The optimizing compiler of Node.js 20 aborts the process on some mixtures of
// BigInt.asIntN and BigInt64Array, so neither is used where values of several origins meet.

const halves = new Int32Array(2);
const whole = new BigInt64Array(halves.buffer);

export function lowHalf(value: bigint): number {
  return Number(value & 0xffffffffn) | 0;
}

export function highHalf(value: bigint): number {
  return Number((value >> 32n) & 0xffffffffn) | 0;
}

export function join(low: number, high: number): bigint {
  halves[0] = low;
  halves[1] = high;
  return whole[0] as bigint;
}

/** Returns the carry into the high half: `low` is the low half of a sum after `term` was added. */
export function carry(low: number, term: number): number {
  return low >>> 0 < term >>> 0 ? 1 : 0;
}
