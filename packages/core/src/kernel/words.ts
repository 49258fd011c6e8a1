// The memory that kernel steps work on, for TypeScript. In the core only this file and parking.ts name the global
// Atomics. kernel/words.ts is its twin for WebAssembly, where each function below is one instruction.
//
// `load/store/add/cas/exchange` touch words that several agents write. `get/put` touch words that only one agent uses
// at that moment (its own record, an element in flight). They guarantee no order, and on x86 a plain store costs a
// fifth of an atomic one. An aligned word never tears, so a reader that only reports (inspect) may read it.

import { CorruptArenaError } from '../api/errors.ts';

/** The memory operations of a kernel step. The model explorer has its own implementation. */
export interface Words {
  load32(address: number): number;
  store32(address: number, value: number): void;
  add32(address: number, delta: number): number;
  cas32(address: number, expected: number, value: number): number;
  exchange32(address: number, value: number): number;
  load64(address: number): bigint;
  store64(address: number, value: bigint): void;
  add64(address: number, delta: bigint): bigint;
  cas64(address: number, expected: bigint, value: bigint): bigint;
  get32(address: number): number;
  put32(address: number, value: number): void;
  get64(address: number): bigint;
  put64(address: number, value: bigint): void;
}

/** `Words` over a shared WebAssembly memory. Views follow the memory as any agent grows it. */
export class AtomicWords implements Words {
  readonly #memory: WebAssembly.Memory;
  #i32: Int32Array;
  #i64: BigInt64Array;
  #plain: DataView;

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
    this.#i32 = new Int32Array(memory.buffer);
    this.#i64 = new BigInt64Array(memory.buffer);
    this.#plain = new DataView(memory.buffer);
  }

  /** Returns a view that covers `address`, for parking on it. */
  view32(address: number): Int32Array {
    if (address >>> 0 >= this.#i32.byteLength) this.#refresh(address);
    return this.#i32;
  }

  #view64(address: number): BigInt64Array {
    if (address >>> 0 >= this.#i64.byteLength) this.#refresh(address);
    return this.#i64;
  }

  /** Throws `CorruptArenaError` if the address lies outside the memory. */
  #refresh(address: number): void {
    // Growing by 0 makes the engine return the buffer at its current length, also after another agent grew it.
    this.#memory.grow(0);
    this.#i32 = new Int32Array(this.#memory.buffer);
    this.#i64 = new BigInt64Array(this.#memory.buffer);
    this.#plain = new DataView(this.#memory.buffer);
    if (address >>> 0 < this.#plain.byteLength) return;
    throw new CorruptArenaError(
      `The arena's memory is damaged: address ${address} is outside of it. Create another arena.`,
    );
  }

  #view(address: number): DataView {
    if (address >>> 0 >= this.#plain.byteLength) this.#refresh(address);
    return this.#plain;
  }

  load32(address: number): number {
    return Atomics.load(this.view32(address), address >> 2);
  }
  store32(address: number, value: number): void {
    Atomics.store(this.view32(address), address >> 2, value);
  }
  add32(address: number, delta: number): number {
    return Atomics.add(this.view32(address), address >> 2, delta);
  }
  cas32(address: number, expected: number, value: number): number {
    return Atomics.compareExchange(this.view32(address), address >> 2, expected, value);
  }
  exchange32(address: number, value: number): number {
    return Atomics.exchange(this.view32(address), address >> 2, value);
  }
  load64(address: number): bigint {
    return Atomics.load(this.#view64(address), address >> 3);
  }
  store64(address: number, value: bigint): void {
    Atomics.store(this.#view64(address), address >> 3, value);
  }
  add64(address: number, delta: bigint): bigint {
    return Atomics.add(this.#view64(address), address >> 3, delta);
  }
  cas64(address: number, expected: bigint, value: bigint): bigint {
    return Atomics.compareExchange(this.#view64(address), address >> 3, expected, value);
  }
  get32(address: number): number {
    return this.#view(address).getInt32(address, true);
  }
  put32(address: number, value: number): void {
    this.#view(address).setInt32(address, value, true);
  }
  get64(address: number): bigint {
    return this.#view(address).getBigInt64(address, true);
  }
  put64(address: number, value: bigint): void {
    this.#view(address).setBigInt64(address, value, true);
  }
}

/**
 * Returns words for plain accesses as an array, which stays valid as the memory grows. Use it for an agent's own
 * memory, or for a word for which a plain load is enough. Returns `undefined` if `words` belong to a model or a crash
 * test, which must see every access.
 */
export function ownRun(words: Words, address: number, length: number): Int32Array | undefined {
  return words.constructor === AtomicWords
    ? new Int32Array((words as AtomicWords).view32(address).buffer, address, length)
    : undefined;
}

/**
 * Stores the words of `from`, from `address` on. Each store is atomic; the run is not.
 *
 * It copies the words through one view, not through the methods of `AtomicWords`: to find the view for each word takes
 * longer than the store. For an agent with its own `Words` (models, crash tests), it calls them for each word.
 */
export function storeRun(words: Words, address: number, from: Int32Array): void {
  const { length } = from;
  if (words.constructor !== AtomicWords) {
    for (let index = 0; index < length; index++) words.store32(address + 4 * index, from[index] as number);
    return;
  }
  const view = (words as AtomicWords).view32(address + 4 * length - 4);
  const first = address >> 2;
  for (let index = 0; index < length; index++) Atomics.store(view, first + index, from[index] as number);
}

// A rule for steps: compute and use a bigint, but never choose between two (`a ? b : c`, `let` that is assigned twice).
// V8 11.3, which is Node 20, crashes while it optimizes such a choice.

// Steps are module functions, as AssemblyScript requires, so the memory they work on is bound just before each call. A
// step runs to its end without a break, so no other binding can come in between.
let bound: Words;

export function bind(words: Words): void {
  bound = words;
}

type Step = (...args: number[]) => unknown;

/**
 * Binds `steps` to the memory `words`. Both must belong to the same copy of this module, so each bundle of steps brings
 * this function along.
 */
export function boundTo<Steps extends object>(words: Words, steps: Steps): Steps {
  return Object.fromEntries(Object.entries(steps).map(([name, step]) => [name, onWords(words, step as Step)])) as Steps;
}

function onWords(words: Words, step: Step): Step {
  return function boundStep(...args) {
    bind(words);
    return step(...args);
  };
}

export function load32(address: i32): i32 {
  return bound.load32(address);
}
export function store32(address: i32, value: i32): void {
  bound.store32(address, value);
}
export function add32(address: i32, delta: i32): i32 {
  return bound.add32(address, delta);
}
export function cas32(address: i32, expected: i32, value: i32): i32 {
  return bound.cas32(address, expected, value);
}
export function exchange32(address: i32, value: i32): i32 {
  return bound.exchange32(address, value);
}
export function load64(address: i32): i64 {
  return bound.load64(address);
}
export function store64(address: i32, value: i64): void {
  bound.store64(address, value);
}
export function add64(address: i32, delta: i64): i64 {
  return bound.add64(address, delta);
}
export function cas64(address: i32, expected: i64, value: i64): i64 {
  return bound.cas64(address, expected, value);
}
export function get32(address: i32): i32 {
  return bound.get32(address);
}
export function put32(address: i32, value: i32): void {
  bound.put32(address, value);
}
export function get64(address: i32): i64 {
  return bound.get64(address);
}
export function put64(address: i32, value: i64): void {
  bound.put64(address, value);
}

/** Returns `value` as a 64-bit integer. */
export function wide(value: i32): i64 {
  return BigInt(value);
}
/** Returns two 32-bit words as the 64-bit word that they form in memory. */
export function pair(low: i32, high: i32): i64 {
  return (BigInt(high) << 32n) | BigInt(low >>> 0);
}
/** The low 32 bits. */
export function low32(value: i64): i32 {
  return Number(BigInt.asIntN(32, value));
}
/** The high 32 bits. */
export function high32(value: i64): i32 {
  return Number(BigInt.asIntN(32, value >> 32n));
}
/** The 21 bits from `shift` on, as a number. */
export function field21(value: i64, shift: i32): i32 {
  return Number(BigInt.asUintN(21, value >> BigInt(shift)));
}
/** A number shifted left by `shift`. */
export function shifted(value: i32, shift: i32): i64 {
  return BigInt.asIntN(64, BigInt(value) << BigInt(shift));
}
/** The value, limited to the range from 0 to `most`. */
export function clamp(value: i64, most: i32): i32 {
  if (value <= 0n) return 0;
  return value < BigInt(most) ? Number(value) : most;
}
/** The nearest number: exact up to 2^53. */
export function toNumber(value: i64): f64 {
  return Number(value);
}
/** A number without a fraction. */
export function fromNumber(value: f64): i64 {
  return BigInt(value);
}
/** The 32 bits as an unsigned number. */
export function unsigned(value: i32): f64 {
  return value >>> 0;
}
/** The difference of two counters, correct also across the wrap at 2^63. */
export function minus(a: i64, b: i64): i64 {
  return BigInt.asIntN(64, a - b);
}
/** The sum of a counter and a count, wrapping at 2^63 as memory does. */
export function plus(a: i64, b: i64): i64 {
  return BigInt.asIntN(64, a + b);
}
/** The low 32 bits of the product. */
export function times32(a: i32, b: i32): i32 {
  return Math.imul(a, b);
}
