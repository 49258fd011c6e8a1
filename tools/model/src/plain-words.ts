// Direct access to the model's memory, for the set-up and for checks between the agents' operations.

import type { Memory } from './memory.ts';
import * as op from './operation.ts';
import type { Words } from './types.ts';

export function plainWords(memory: Memory, bytes: number, touched?: (word: number) => void): Words {
  const check = (address: number, size: number): void => {
    if (!(address >= 0 && address % size === 0 && address + size <= bytes)) {
      throw new RangeError(`address 0x${address.toString(16)} is outside the memory or not a multiple of ${size}`);
    }
    touched?.(address >> 2);
    if (size === 8) touched?.((address >> 2) + 1);
  };
  const do32 = (kind: number, address: number, first = 0, second = 0): number => {
    check(address, 4);
    return op.execute32(memory, kind, address, first, second);
  };
  const do64 = (kind: number, address: number, first = 0n, second = 0n): bigint => {
    check(address, 8);
    return op.execute64(memory, kind, address, first, second);
  };
  return {
    load32: (address) => do32(op.LOAD32, address),
    store32: (address, value) => void do32(op.STORE32, address, value),
    add32: (address, delta) => do32(op.ADD32, address, delta),
    cas32: (address, expected, value) => do32(op.CAS32, address, expected, value),
    exchange32: (address, value) => do32(op.EXCHANGE32, address, value),
    get32: (address) => do32(op.LOAD32, address),
    put32: (address, value) => void do32(op.STORE32, address, value),
    load64: (address) => do64(op.LOAD64, address),
    store64: (address, value) => void do64(op.STORE64, address, value),
    add64: (address, delta) => do64(op.ADD64, address, delta),
    cas64: (address, expected, value) => do64(op.CAS64, address, expected, value),
    get64: (address) => do64(op.LOAD64, address),
    put64: (address, value) => void do64(op.STORE64, address, value),
  };
}
