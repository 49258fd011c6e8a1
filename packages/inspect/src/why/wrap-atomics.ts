// Puts a function of its own before each function of Atomics that sleeps, wakes, or reads and writes at once. Loads and
// stores stay as they are.

import { RateBudget } from './rate-budget.ts';
import type { ThreadNotes, WaitableArray } from './thread-notes.ts';
import { LEFT_ZERO, REACHED_ZERO, type WordTable } from './word-table.ts';

/** The functions as they were, for this package's own use: the notes must not have what the tool itself does. */
export const real = { ...functionsOf(Atomics) };

type Value = number | bigint;
type ReadModifyWrite = (array: WaitableArray, index: number, value: Value) => Value;

/** A wait by Atomics.waitAsync that has not settled. */
export interface WatchedAsyncWait {
  readonly array: WaitableArray;
  readonly index: number;
  /** ms on the table's clock. */
  readonly since: number;
  /** Has the stack of the call. Absent if there were too many waits at that time. */
  readonly call?: { readonly stack?: string };
}

/** A stack takes 1 µs or more. */
const STACKS_AT_ONCE = 64;
const STACKS_PER_TICK = 32;
const STACK_FRAMES = 12;

function functionsOf(atomics: typeof Atomics): typeof Atomics {
  const { wait, waitAsync, notify, compareExchange, exchange, add, sub, and, or, xor, load, store } = atomics;
  // The spread takes no functions that are not enumerable.
  return { wait, waitAsync, notify, compareExchange, exchange, add, sub, and, or, xor, load, store } as typeof Atomics;
}

/** Returns an object with the stack of the call of a function. Its text is made when it is read. */
function callOf(callee: typeof Atomics.waitAsync): { readonly stack?: string } {
  const limit = Error.stackTraceLimit;
  const call: { readonly stack?: string } = {};
  // Not an assignment, which throws where the program has frozen Error.
  Reflect.set(Error, 'stackTraceLimit', STACK_FRAMES);
  Error.captureStackTrace(call, callee);
  Reflect.set(Error, 'stackTraceLimit', limit);
  return call;
}

function isZero(value: Value): boolean {
  return value === 0 || value === 0n;
}

/** Returns whether this thread can change Atomics. It cannot with `--frozen-intrinsics`. */
export function canWrapAtomics(): boolean {
  return Object.getOwnPropertyDescriptor(Atomics, 'wait')?.configurable === true;
}

/** Changes the global Atomics, for all code of this thread that loads after this. Returns the async waits, as they are. */
export function wrapAtomics(notes: ThreadNotes, table: WordTable): ReadonlySet<WatchedAsyncWait> {
  const asyncWaits = new Set<WatchedAsyncWait>();
  const stacks = new RateBudget(STACKS_AT_ONCE, STACKS_PER_TICK);
  const { wait, waitAsync, notify, compareExchange, exchange, add, sub, and, or, xor } = real as unknown as {
    wait: (array: WaitableArray, index: number, value: Value, timeout?: number) => string;
    waitAsync: (
      array: WaitableArray,
      index: number,
      value: Value,
      timeout?: number,
    ) => { readonly async: boolean; readonly value: string | Promise<string> };
    notify: (array: WaitableArray, index: number, count?: number) => number;
    compareExchange: (array: WaitableArray, index: number, expected: Value, value: Value) => Value;
  } & Record<'exchange' | 'add' | 'sub' | 'and' | 'or' | 'xor', ReadModifyWrite>;

  const changed = (array: WaitableArray, index: number, old: Value, value: Value): void => {
    const [was, is] = [isZero(old), isZero(value)];
    if (was !== is) notes.changed(array, index, was ? LEFT_ZERO : REACHED_ZERO);
  };

  const begun = (array: WaitableArray, index: number, settled: Promise<string>): void => {
    const { clock } = table;
    const call = stacks.take(clock) ? { call: callOf(Atomics.waitAsync) } : {};
    const entry: WatchedAsyncWait = { array, index, since: clock, ...call };
    asyncWaits.add(entry);
    const done = (): boolean => asyncWaits.delete(entry);
    void settled.then(done, done);
  };

  // Methods of an object literal are no constructors, as the functions of Atomics are none.
  const wrapped = {
    wait(array: WaitableArray, index: number, value: Value, timeout?: number): string {
      notes.beginWait(array, index, value, timeout);
      try {
        return wait(array, index, value, timeout);
      } finally {
        notes.endWait();
      }
    },
    waitAsync(array: WaitableArray, index: number, value: Value, timeout?: number): unknown {
      const outcome = waitAsync(array, index, value, timeout);
      if (outcome.async) begun(array, index, outcome.value as Promise<string>);
      return outcome;
    },
    notify(array: WaitableArray, index: number, count?: number): number {
      const woken = notify(array, index, count);
      notes.notified(array, index, woken);
      return woken;
    },
    compareExchange(array: WaitableArray, index: number, expected: Value, value: Value): Value {
      const old = compareExchange(array, index, expected, value);
      if (old === expected) changed(array, index, old, value);
      return old;
    },
    exchange(array: WaitableArray, index: number, value: Value): Value {
      const old = exchange(array, index, value);
      changed(array, index, old, value);
      return old;
    },
    add(array: WaitableArray, index: number, value: Value): Value {
      const old = add(array, index, value) as number;
      changed(array, index, old, old + (value as number));
      return old;
    },
    sub(array: WaitableArray, index: number, value: Value): Value {
      const old = sub(array, index, value) as number;
      changed(array, index, old, old - (value as number));
      return old;
    },
    and(array: WaitableArray, index: number, value: Value): Value {
      const old = and(array, index, value) as number;
      changed(array, index, old, old & (value as number));
      return old;
    },
    or(array: WaitableArray, index: number, value: Value): Value {
      const old = or(array, index, value) as number;
      changed(array, index, old, old | (value as number));
      return old;
    },
    xor(array: WaitableArray, index: number, value: Value): Value {
      const old = xor(array, index, value) as number;
      changed(array, index, old, old ^ (value as number));
      return old;
    },
  };
  for (const [name, value] of Object.entries(wrapped))
    Object.defineProperty(Atomics, name, { value, writable: true, configurable: true, enumerable: false });
  return asyncWaits;
}
