// One key of a cache, and agents that get, set and remove its value, of which one may die. The protocol of computations
// is the real one (computations.ts). The table, its locks and the store are short forms, because each has models of its
// own: a lock is one word, the value of the key is another, and both change in single steps.
//
// A value is the number of changes that had begun when it was computed, plus 1. A change is a `set`, `delete` or
// `clear`. So a call must never get a value that is less than the number of changes that had ended when the call began,
// plus 1.

import { DIED, type Context, type Scenario, type Words } from '@sluice/model';
import { OFFICE as OFFICE_AT } from '@sluice/core/format';
import type { Case } from '../../../core/test/model/case.ts';
import type * as Entry from './flight-entry.ts';

export type FlightCore = typeof Entry;

/** The mutex of the table: its owner. */
const GUARD = 0;
/** The lock of the key in the table; 0: none. */
const LISTED = 4;
const VALUE = 8;
const CLEARS = 12;
/** The changes that have begun, and those that have ended. */
const BEGUN = 16;
const ENDED = 20;
/** How many functions have returned a value, and the agent whose function runs. */
const COMPUTED = 24;
const INSIDE = 28;
/** The lock at which each agent waits. */
const WAITS_AT = 32;
const FIRST = 64;
const STRIDE = 128;
const SLOTS = 3;
export const BYTES = FIRST + SLOTS * STRIDE;
/** Of a lock: its owner and waiters in one word, whether it is in use, and its data. */
const OFFICE = 0;
const LIVE = 4;
const DATA = 32;
const IN_USE = 1;
const DROPPED = 2;
const HANDED = 15;
const WAITER = 16;
const KEY = 'key';

const slots = [...Array(SLOTS).keys()].map((index) => FIRST + index * STRIDE);

interface Lock {
  readonly entry: number;
  readonly mutex: { readonly unlock: () => void };
}

export interface FlightActor {
  readonly ctx: Context;
  readonly id: number;
  readonly computations: Entry.Computations;
}

export type FlightBody = (actor: FlightActor) => unknown;

function change(words: Words, entry: number, to: (office: number) => number): void {
  for (;;) {
    const office = words.load32(entry + OFFICE);
    if (words.cas32(entry + OFFICE, office, to(office)) === office) return;
  }
}

function handOver(office: number): number {
  return office < WAITER ? 0 : office - (office % WAITER) - WAITER + HANDED;
}

function uncount(office: number): number {
  return office < WAITER ? 0 : office - WAITER;
}

function enter(ctx: Context, id: number): void {
  do ctx.until(() => ctx.words.load32(GUARD) === 0);
  while (ctx.words.cas32(GUARD, 0, id) !== 0);
}

function leave(ctx: Context): void {
  ctx.step('leave');
  ctx.words.store32(GUARD, 0);
}

/** The table with one key. */
function keysOf(ctx: Context, id: number): object {
  const { words } = ctx;
  return {
    title: 'the cache',
    context: {
      words: {
        // The core looks for waiters in the upper half of a lock's word.
        load32: (address: number) => {
          const lock = slots.find((slot) => slot + OFFICE_AT + 4 === address);
          if (lock === undefined) return words.load32(address);
          return words.load32(lock + OFFICE) < WAITER ? 0 : -1;
        },
        store32: (address: number, value: number) => {
          ctx.step('write');
          words.store32(address, value);
        },
      },
    },
    hashOf: () => 0,
    enterNow: () => false,
    under: <T>(act: () => T): T => {
      enter(ctx, id);
      const result = act();
      leave(ctx);
      return result;
    },
    tidy: () => undefined,
    checkThere: () => undefined,
    table: {
      find: () => words.load32(LISTED),
      drop: (entry: number) => {
        ctx.step('drop');
        words.store32(LISTED, 0);
        ctx.step('end');
        words.store32(entry + LIVE, DROPPED);
        change(words, entry, (office) => office - (office % WAITER));
      },
      tidy: () => undefined,
    },
    blocks: { dataOf: (entry: number) => entry + DATA, isFree: () => false, free: () => undefined },
  };
}

/** The locks of the table. A lock without an owner stays in the table. */
function locksOf(ctx: Context, id: number): object {
  const { words } = ctx;
  const at = (entry: number): Lock => ({
    entry,
    mutex: {
      unlock: () => {
        ctx.step('unlock');
        change(words, entry, handOver);
      },
    },
  });
  const isLive = (entry: number): boolean => words.load32(entry + LIVE) === IN_USE;
  const create = (): number => {
    const free = slots.find((slot) => words.load32(slot + LIVE) !== IN_USE && words.load32(slot + OFFICE) === 0);
    if (free === undefined) throw new Error('The model has no lock left.');
    ctx.step('create');
    words.store32(free + LIVE, IN_USE);
    words.store32(LISTED, free);
    return free;
  };
  return {
    open: at,
    owns: ({ entry }: Lock) => isLive(entry) && words.load32(entry + OFFICE) % WAITER === id,
    takeNow: () => {
      enter(ctx, id);
      const entry = words.load32(LISTED);
      ctx.step('take at once');
      const isTaken = entry !== 0 && words.cas32(entry + OFFICE, 0, id) === 0;
      leave(ctx);
      return isTaken ? at(entry) : undefined;
    },
    releaseNow: (_: string, { entry }: Lock) => {
      if (words.load32(LISTED) !== entry) return false;
      ctx.step('release at once');
      return words.cas32(entry + OFFICE, id, 0) === id;
    },
    take: (_: string, timeoutMs: number, before: () => boolean): Lock | undefined => {
      for (;;) {
        enter(ctx, id);
        if (before()) {
          leave(ctx);
          return undefined;
        }
        const entry = words.load32(LISTED) || create();
        ctx.step('take');
        if (words.cas32(entry + OFFICE, 0, id) === 0 || timeoutMs === 0) {
          const isMine = words.load32(entry + OFFICE) % WAITER === id;
          leave(ctx);
          return isMine ? at(entry) : undefined;
        }
        words.store32(WAITS_AT + 4 * ctx.index, entry);
        change(words, entry, (office) => office + WAITER);
        leave(ctx);
        if (awaitTurn(ctx, entry, id)) return at(entry);
      }
    },
  };
}

/** Waits until this agent has the lock, or the lock was dropped. */
function awaitTurn(ctx: Context, entry: number, id: number): boolean {
  const { words } = ctx;
  const isNext = (office: number): boolean => office % WAITER === HANDED || office % WAITER === 0;
  for (;;) {
    ctx.until(() => words.load32(entry + LIVE) === DROPPED || isNext(words.load32(entry + OFFICE)));
    if (words.load32(entry + LIVE) === DROPPED) {
      ctx.step('woken');
      change(words, entry, uncount);
      words.store32(WAITS_AT + 4 * ctx.index, 0);
      return false;
    }
    const office = words.load32(entry + OFFICE);
    if (!isNext(office)) continue;
    const taken = office % WAITER === HANDED ? office - HANDED + id : office - WAITER + id;
    if (words.cas32(entry + OFFICE, office, taken) !== office) continue;
    words.store32(WAITS_AT + 4 * ctx.index, 0);
    return true;
  }
}

/** The store with the value of the key. */
function storeOf(ctx: Context): object {
  const { words } = ctx;
  const write = (address: number, value: number): void => {
    ctx.step('write');
    words.store32(address, value);
  };
  return {
    get clears() {
      return words.load32(CLEARS);
    },
    read: () => {
      const value = words.load32(VALUE);
      return value === 0 ? undefined : { bytes: Uint8Array.of(value), isStale: false, version: 0 };
    },
    put: (_units: string, _hash: number, value: Uint8Array) => write(VALUE, value[0] ?? 0),
    delete: () => {
      write(VALUE, 0);
      return true;
    },
    clear: () => {
      write(CLEARS, words.load32(CLEARS) + 1);
      write(VALUE, 0);
    },
    noteComputed: () => write(COMPUTED, words.load32(COMPUTED) + 1),
    noteFailed: () => undefined,
  };
}

/** Gets the value, as `SharedCache.get` does. With `fails`, the function that computes throws. */
export const get =
  ({ rounds = 1, fails = false } = {}): FlightBody =>
  (actor) => {
    const { ctx, computations } = actor;
    for (let round = 0; round < rounds; round++) {
      const ended = ctx.words.load32(ENDED);
      const value = computations.read(KEY, 'looks', 0)?.bytes[0] ?? compute(actor, fails);
      if (value !== undefined) ctx.assert(value > ended, `a call got value ${value} after ${ended} changes`);
      ctx.forget(round);
    }
  };

function compute({ ctx, computations, id }: FlightActor, fails: boolean): number | undefined {
  const { words } = ctx;
  const taken = computations.take(KEY, Infinity);
  if (taken === undefined) throw new Error('a wait without a timeout ended');
  if ('bytes' in taken) return taken.bytes[0];
  const [begun, ended] = [words.load32(BEGUN), words.load32(ENDED)];
  const attempt = computations.begin(KEY, taken);
  if ('bytes' in attempt) {
    computations.release(KEY, taken);
    return attempt.bytes[0];
  }
  ctx.step('compute');
  ctx.assert(words.exchange32(INSIDE, id) === 0, 'two agents compute');
  const value = words.load32(BEGUN) + 1;
  ctx.step('computed');
  words.store32(INSIDE, 0);
  if (!fails) {
    computations.keep(KEY, attempt, Uint8Array.of(value));
    // Without a change since the computation began, the value is there.
    const kept = words.load32(VALUE);
    ctx.assert(kept !== 0 || begun !== ended || words.load32(BEGUN) !== begun, 'a value was not kept');
  }
  computations.release(KEY, taken);
  return fails ? undefined : value;
}

/** Changes the value. Only one agent of a case may do that. */
export const changes =
  (what: 'set' | 'delete' | 'clear'): FlightBody =>
  ({ ctx, computations }) => {
    const { words } = ctx;
    const next = words.load32(BEGUN) + 1;
    ctx.step(what);
    words.store32(BEGUN, next);
    if (what === 'set') computations.put(KEY, Uint8Array.of(next + 1), undefined);
    else if (what === 'delete') computations.delete(KEY);
    else computations.clear();
    words.store32(ENDED, next);
  };

/** Does the core's part of the recovery of agent `victim`. */
export const recover =
  (victim: number): FlightBody =>
  ({ ctx }) => {
    if (ctx.waitForDeath(victim)) bury(ctx.words, victim);
  };

function bury(words: Words, victim: number): void {
  const id = victim + 1;
  // From the hand-over on another agent may compute.
  if (words.load32(INSIDE) === id) words.store32(INSIDE, 0);
  const waitsAt = words.load32(WAITS_AT + 4 * victim);
  if (waitsAt !== 0) {
    change(words, waitsAt, uncount);
    words.store32(WAITS_AT + 4 * victim, 0);
  }
  for (const slot of slots) if (words.load32(slot + OFFICE) % WAITER === id) change(words, slot, handOver);
  if (words.load32(GUARD) === id) words.store32(GUARD, 0);
}

export interface FlightPlan {
  readonly name: string;
  readonly bodies: readonly FlightBody[];
  readonly options: Case['options'];
  readonly mayCrash?: readonly number[];
  /** How many functions may return a value in one execution without a death. */
  readonly computes: number;
}

export function flightCase(core: FlightCore, { name, bodies, options, mayCrash, computes }: FlightPlan): Case {
  const scenario: Scenario = {
    name,
    bytes: BYTES,
    agents: bodies.map((body, index) => ({
      name: `agent ${index}`,
      body: (ctx: Context) => {
        const id = index + 1;
        const parts = [keysOf(ctx, id), () => 0, locksOf(ctx, id), storeOf(ctx)] as never[];
        const [keys, clock, locks, store] = parts as [never, never, never, never];
        return body({ ctx, id, computations: new core.Computations(keys, clock, locks, store) });
      },
    })),
    final: (words, outcomes) => {
      if (outcomes.includes(DIED)) return undefined;
      const computed = words.load32(COMPUTED);
      if (computed > computes) return `${computed} functions returned a value, and ${computes} may`;
      return slots.some((slot) => words.load32(slot + OFFICE) !== 0) ? 'a lock has an owner or a waiter' : undefined;
    },
    ...(mayCrash === undefined ? {} : { mayCrash, deaths: 1 }),
  };
  return { scenario, options };
}
