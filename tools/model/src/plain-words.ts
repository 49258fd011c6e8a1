// Words straight on the model's memory, for set-up and for checks between the agents' operations.

import type { Memory } from './memory.ts';
import type { Words } from './types.ts';

export function plainWords(memory: Memory, bytes: number, touched?: (word: number) => void): Words {
  const check = (address: number, size: number): number => {
    if (!(address >= 0 && address % size === 0 && address + size <= bytes)) {
      throw new RangeError(`address 0x${address.toString(16)} is outside the memory or not a multiple of ${size}`);
    }
    touched?.(address >> 2);
    if (size === 8) touched?.((address >> 2) + 1);
    return address;
  };
  const load32 = (address: number): number => memory.read32(check(address, 4));
  const load64 = (address: number): bigint => memory.read64(check(address, 8));
  const swap32 = (address: number, next: (old: number) => number): number => {
    const old = load32(address);
    memory.write32(address, next(old));
    return old;
  };
  const swap64 = (address: number, next: (old: bigint) => bigint): bigint => {
    const old = load64(address);
    memory.write64(address, BigInt.asIntN(64, next(old)));
    return old;
  };
  const store32 = (address: number, value: number): void => void swap32(address, () => value);
  const store64 = (address: number, value: bigint): void => void swap64(address, () => value);
  return {
    load32,
    store32,
    add32: (address, delta) => swap32(address, (old) => old + delta),
    cas32: (address, expected, value) => swap32(address, (old) => (old === (expected | 0) ? value : old)),
    exchange32: (address, value) => swap32(address, () => value),
    load64,
    store64,
    add64: (address, delta) => swap64(address, (old) => old + delta),
    cas64: (address, expected, value) => swap64(address, (old) => (old === BigInt.asIntN(64, expected) ? value : old)),
    get32: load32,
    put32: store32,
    get64: load64,
    put64: store64,
  };
}
