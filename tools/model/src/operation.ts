// The operations of agents, and the effect of each on the memory.

import type { Memory } from './memory.ts';
import { carry, highHalf, join, lowHalf } from './wide.ts';

export const LOAD32 = 0;
export const STORE32 = 1;
export const ADD32 = 2;
export const CAS32 = 3;
export const EXCHANGE32 = 4;
export const GET32 = 5;
export const PUT32 = 6;
export const LOAD64 = 7;
export const STORE64 = 8;
export const ADD64 = 9;
export const CAS64 = 10;
export const GET64 = 11;
export const PUT64 = 12;
/** Reads the fate of an agent, a word behind the scenario's own memory. */
export const DEAD = 13;
export const WAIT_FOR_DEATH = 14;
/**
 * FINISH is the last operation of an agent that returned, and DIE that of an agent that was killed. Each writes the
 * agent's fate.
 */
export const FINISH = 15;
export const DIE = 16;
export const WAIT = 17;
export const NOTIFY = 18;
/** From CHOOSE on, the operations do not access words. */
export const CHOOSE = 19;
export const STEP = 20;
export const RESUME = 21;
export const PAUSE = 22;
export const FORGET = 23;

/** The values of a fate word. */
export const ALIVE = 0;
export const IS_DEAD = 1;
export const IS_FINISHED = 2;

export type Value = number | bigint;

export interface Operation {
  readonly kind: number;
  readonly address: number;
  /** The value stored, added or expected. For a choice: the number of branches. */
  readonly first: Value;
  /** The new value of a compare-and-swap. For a wait: 1 if it is timed. */
  readonly second: Value;
  readonly label: string;
}

export const NAMES: readonly string[] = [
  ...['load32', 'store32', 'add32', 'cas32', 'exchange32', 'get32', 'put32'],
  ...['load64', 'store64', 'add64', 'cas64', 'get64', 'put64'],
  ...['dead', 'waitForDeath', 'returns', 'dies', 'wait', 'notify', 'choose', 'step', 'resume', 'pause', 'forget'],
];

export function isWide(kind: number): boolean {
  return kind >= LOAD64 && kind <= PUT64;
}

/** Returns whether the agent learns the old value. */
export function answers(kind: number): boolean {
  return kind !== STORE32 && kind !== PUT32 && kind !== STORE64 && kind !== PUT64;
}

/** Returns the value of the word after the operation. */
function next32(kind: number, old: number, first: number, second: number): number {
  switch (kind) {
    case STORE32:
    case EXCHANGE32:
    case PUT32:
      return first | 0;
    case ADD32:
      return (old + first) | 0;
    case CAS32:
      return old === (first | 0) ? second | 0 : old;
    case FINISH:
      return IS_FINISHED;
    case DIE:
      return IS_DEAD;
    default:
      return old;
  }
}

/** Performs a 32-bit operation. Returns the old value. */
export function execute32(memory: Memory, kind: number, address: number, first: number, second: number): number {
  const old = memory.read32(address);
  memory.write32(address, next32(kind, old, first, second));
  return old;
}

/** Performs a 64-bit operation on two words. Returns the old value. */
export function execute64(memory: Memory, kind: number, address: number, first: bigint, second: bigint): bigint {
  const low = memory.read32(address);
  const high = memory.read32(address + 4);
  if (kind === ADD64) {
    const term = lowHalf(first);
    const sum = (low + term) | 0;
    memory.write32(address, sum);
    memory.write32(address + 4, high + highHalf(first) + carry(sum, term));
  } else if (kind === STORE64 || kind === PUT64) {
    memory.write32(address, lowHalf(first));
    memory.write32(address + 4, highHalf(first));
  } else if (kind === CAS64 && low === lowHalf(first) && high === highHalf(first)) {
    memory.write32(address, lowHalf(second));
    memory.write32(address + 4, highHalf(second));
  }
  return join(low, high);
}

/** Returns whether the operation would change its word in the present state. */
export function changesWord(memory: Memory, { kind, address, first, second }: Operation): boolean {
  const low = memory.read32(address);
  if (!isWide(kind)) return next32(kind, low, first as number, second as number) !== low;
  const high = memory.read32(address + 4);
  const holds = (value: Value): boolean => low === lowHalf(value as bigint) && high === highHalf(value as bigint);
  if (kind === ADD64) return first !== 0n;
  if (kind === STORE64 || kind === PUT64) return !holds(first);
  return kind === CAS64 && holds(first) && !holds(second);
}
