// A store with room for three chunks, and agents that put, read and remove values, of which one may die before any
// write. The store is the real one. The mutex that guards it is replaced by a short form, because @sluice/mutex has its
// own models.

import { DIED, type Context, type Scenario, type Words } from '@sluice/model';
import type { Case } from '../../../core/test/model/case.ts';
import { bucketsFor, storeBytes } from '../../src/layout.ts';
import type * as Entry from './entry.ts';
import { problemOf } from '../support/plain-store.ts';

export type StoreCore = typeof Entry;

/** The mutex: its owner, and whether an owner died. */
const GUARD = 0;
const ORPHANED = 4;
const STORE_AT = 64;
const CHUNKS = 3;
const NOW = 1;
/** Two keys with one hash, by FNV-1a. */
export const KEYS = ['liquid', 'costarring', 'c'] as const;
/** The sizes of values: one fits into one chunk, the other needs two. */
export const SHORT = 8;
export const LONG = 256;

interface Actor {
  readonly ctx: Context;
  readonly core: StoreCore;
  readonly store: Entry.CacheStore;
}

export type Body = (actor: Actor) => unknown;

function groundOf(words: Words, ctx: Context | undefined): Entry.StoreMemory {
  const step = (name: string): void => ctx?.step(name);
  const bytes = storeBytes(CHUNKS, bucketsFor(CHUNKS));
  return {
    words: {
      load32: (address) => words.get32(address),
      get32: (address) => words.get32(address),
      put32: (address, value) => {
        step('write');
        words.put32(address, value);
      },
      store32: (address, value) => {
        step('write');
        words.put32(address, value);
      },
    },
    at: STORE_AT,
    bytes,
    // Word by word: an agent may die in the middle of a copy.
    write: (address, from, start, length) => {
      step('copy');
      for (let at = 0; at < length; at += 4) {
        if (at === 4) step('copy on');
        words.put32(address + at, (from[start + at] ?? 0) * 0x01010101);
      }
    },
    read: (address, into, start, length) => {
      for (let at = 0; at < length; at++) into[start + at] = words.get32(address + at - (at % 4)) >>> (8 * (at % 4));
    },
  };
}

function enter({ ctx, store }: Actor): void {
  const { words } = ctx;
  do ctx.until(() => words.load32(GUARD) === 0);
  while (words.cas32(GUARD, 0, ctx.index + 1) !== 0);
  if (words.load32(ORPHANED) === 0) return;
  store.repair();
  ctx.step('repaired');
  words.store32(ORPHANED, 0);
}

function leave({ ctx }: Actor): void {
  const problem = problemOf((address) => ctx.words.get32(address), STORE_AT);
  ctx.assert(problem === undefined, problem ?? '');
  ctx.step('leave');
  ctx.words.store32(GUARD, 0);
}

/** The byte of which a value of a key consists. */
function byteOf(which: number, version: number): number {
  return 16 * (which + 1) + version;
}

function isWhole(which: number, bytes: Uint8Array): boolean {
  const [first = 0] = bytes;
  return first >> 4 === which + 1 && bytes.every((byte) => byte === first);
}

export const put =
  (which: number, version: number, length: number): Body =>
  (actor) => {
    const { core, store } = actor;
    const key = KEYS[which] ?? '';
    enter(actor);
    store.put(key, core.hashOf(key), new Uint8Array(length).fill(byteOf(which, version)), NOW);
    expectVersion(actor, which, version);
    leave(actor);
  };

export const read =
  (which: number): Body =>
  (actor) => {
    const { ctx, core, store } = actor;
    const key = KEYS[which] ?? '';
    enter(actor);
    const found = store.read(key, core.hashOf(key), NOW, 'counts');
    ctx.assert(found === undefined || isWhole(which, found.bytes), 'a value is torn, or that of another key');
    leave(actor);
  };

export const remove =
  (which: number): Body =>
  (actor) => {
    const { ctx, core, store } = actor;
    const key = KEYS[which] ?? '';
    enter(actor);
    store.delete(key, core.hashOf(key), NOW);
    ctx.assert(!store.has(key, core.hashOf(key), NOW), 'a removed value is there');
    leave(actor);
  };

export const clear: Body = (actor) => {
  enter(actor);
  actor.store.clear();
  actor.ctx.assert(actor.store.entries === 0, 'a value is there after a clear');
  leave(actor);
};

/** Runs several bodies one after another. */
export const all =
  (...bodies: readonly Body[]): Body =>
  (actor) => {
    for (const body of bodies) body(actor);
  };

function expectVersion({ ctx, core, store }: Actor, which: number, version: number): void {
  const key = KEYS[which] ?? '';
  const found = store.read(key, core.hashOf(key), NOW, 'looks');
  ctx.assert(found?.bytes[0] === byteOf(which, version), 'the value that was put is not there');
}

/** Does the core's part of the recovery of agent `victim`: hands its mutex on. */
export const recover =
  (victim: number): Body =>
  ({ ctx }) => {
    if (ctx.waitForDeath(victim)) bury(ctx.words, victim);
  };

function bury(words: Words, victim: number): void {
  if (words.load32(GUARD) !== victim + 1) return;
  words.store32(ORPHANED, 1);
  words.store32(GUARD, 0);
}

export interface StorePlan {
  readonly name: string;
  readonly bodies: readonly Body[];
  readonly options?: Case['options'];
  readonly mayCrash?: readonly number[];
}

export function storeCase(core: StoreCore, { name, bodies, options = {}, mayCrash }: StorePlan): Case {
  const scenario: Scenario = {
    name,
    bytes: STORE_AT + storeBytes(CHUNKS, bucketsFor(CHUNKS)),
    setup: (words) => core.fillChunks(words, STORE_AT, CHUNKS),
    agents: bodies.map((body, index) => ({
      name: `agent ${index}`,
      body: (ctx: Context) => body({ ctx, core, store: new core.CacheStore(groundOf(ctx.words, ctx)) }),
    })),
    final: (words, outcomes) => restOf(core, words, outcomes),
    ...(mayCrash === undefined ? {} : { mayCrash, deaths: 1 }),
  };
  return { scenario, options };
}

/** Checks the lists and all values, after the next owner of the mutex has come. */
function restOf(core: StoreCore, words: Words, outcomes: readonly unknown[]): string | undefined {
  const store = new core.CacheStore(groundOf(words, undefined));
  for (const [agent, outcome] of outcomes.entries()) if (outcome === DIED) bury(words, agent);
  if (words.load32(GUARD) !== 0) return 'the mutex is owned';
  if (words.load32(ORPHANED) !== 0) store.repair();
  for (const [which, key] of KEYS.entries()) {
    const found = store.read(key, core.hashOf(key), NOW, 'looks');
    if (found !== undefined && !isWhole(which, found.bytes)) return `the value of ${key} is torn`;
  }
  return problemOf((address) => words.get32(address), STORE_AT);
}
