// A table of one or two buckets with room for three entries, and agents that lock keys. The table is the real one. The
// mutex that guards it, the locks of its entries and the heap are replaced by short forms, because @sluice/mutex and
// the core have their own models.

import type { Context, Scenario, Words } from '@sluice/model';
import { DIED } from '@sluice/model';
import { hasCode } from '../../../core/src/index.ts';
import type { Case } from '../../../core/test/model/case.ts';
import {
  BUCKETS_AT,
  ENOUGH,
  FORGETS,
  HEADS,
  IS_RESIDENT,
  KEPT,
  PAYLOAD,
  RESIDENTS,
  STATE,
} from '../../src/table/layout.ts';
import type * as Entry from './entry.ts';

export type TableCore = typeof Entry;

/** The mutex of the table: its owner, and whether an owner died. */
const GUARD = 0;
const ORPHANED = 4;
/** The entry at which each agent waits, by agent. */
const WAITS_AT = 8;
/** The agent that owns each key, by key. */
const INSIDE = 32;
const TABLE_AT = 64;
const FIRST = 256;
/** Words of an entry's lock: owner and waiters in one, and whether the block is in use. In front of its data. */
const OFFICE = 0;
const LIVE = 8;
/** In OFFICE: the flag that the lock is on its way to a waiter, and the weight of one waiter. */
const HANDED = 15;
const WAITER = 16;
const LOCK_BYTES = 16;
const STRIDE = 96;
const SLOTS = 4;
const TAG = 7;
export const BYTES = FIRST + SLOTS * STRIDE;
/** LIVE: a block that its agent has not published yet has the negated id. */
const IN_USE = 1000;

/** Two words with one hash, by FNV-1a. */
export const TWINS = ['liquid', 'costarring'] as const;

const slots = [...Array(SLOTS).keys()].map((index) => FIRST + index * STRIDE);

export interface TableSetup {
  readonly core: TableCore;
  readonly keys: readonly string[];
  readonly buckets?: number;
  /** The number of unused entries that stay. Default: 0. */
  readonly kept?: number;
  /** The number of entries that fit into the heap, if it may be full. Default: more than are needed. */
  readonly room?: number;
}

export interface TableActor {
  readonly ctx: Context;
  readonly core: TableCore;
  readonly table: Entry.EntryLists;
  readonly id: number;
  readonly keys: readonly string[];
}

const FULL = 'SLUICE_ARENA_FULL';

function heapFull(room: number): never {
  throw room < SLOTS
    ? Object.assign(new Error('The heap is full.'), { code: FULL })
    : new Error('The model has no slot left: an entry was lost.');
}

function unlessFull<T>(ctx: Context, act: () => T): T | undefined {
  try {
    return act();
  } catch (failure) {
    ctx.assert(!hasCode(failure, 'SLUICE_CORRUPT_ARENA'), 'an entry is in no list');
    if (!hasCode(failure, FULL)) throw failure;
    return undefined;
  }
}

/** `ctx`: `undefined` at the end, when no agent runs. */
function groundOf(words: Words, ctx: Context | undefined, room = SLOTS): Entry.TableMemory {
  const step = (name: string): void => ctx?.step(name);
  const assert = (condition: boolean, what: string): void => {
    if (ctx === undefined && !condition) throw new Error(what);
    ctx?.assert(condition, what);
  };
  return {
    words: {
      load32: (address) => words.load32(address),
      get32: (address) => words.get32(address),
      put32: (address, value) => words.put32(address, value),
      store32: (address, value) => {
        step('write');
        words.store32(address, value);
      },
    },
    table: TABLE_AT,
    tag: TAG,
    dataOf: (block) => (block === TABLE_AT ? TABLE_AT : block + LOCK_BYTES),
    create: (_, key, fill) => {
      step('allocate');
      const slot = slots.slice(0, room).find((at) => words.load32(at + LIVE) === 0) ?? heapFull(room);
      words.store32(slot + LIVE, -1 - (ctx?.index ?? 0));
      fill(slot + LOCK_BYTES);
      step(`publish ${key}`);
      words.store32(slot + LIVE, IN_USE);
      return slot;
    },
    free: (entry) => {
      step('free');
      assert(words.load32(entry + LIVE) === IN_USE, 'an entry is freed twice');
      assert(words.load32(entry + OFFICE) === 0, 'an entry in use is freed');
      words.store32(entry + LIVE, 0);
    },
    isFree: (entry) => words.load32(entry + OFFICE) === 0,
    everyEntry: () => slots.filter((at) => words.load32(at + LIVE) === IN_USE),
    abandon: () => undefined,
  };
}

export function enter({ ctx, table, id }: TableActor): void {
  const { words } = ctx;
  do ctx.until(() => words.load32(GUARD) === 0);
  while (words.cas32(GUARD, 0, id) !== 0);
  if (words.load32(ORPHANED) === 0) return;
  table.repair();
  ctx.step('repaired');
  words.store32(ORPHANED, 0);
}

export function leave({ ctx, table }: TableActor): void {
  // Plain loads, because the mutex guards the words. Any other load would be a scheduling point.
  const residents = [...table.entries()].filter(
    (entry) => ctx.words.get32(entry + LOCK_BYTES + STATE) === IS_RESIDENT,
  ).length;
  ctx.assert(
    residents === ctx.words.get32(TABLE_AT + RESIDENTS),
    'the count of residents differs from the entries that are residents',
  );
  ctx.step('leave');
  ctx.words.store32(GUARD, 0);
}

/** Locks a key, owns it for a moment, and unlocks it. With `mayGiveUp` it may leave the line instead. */
export const pass =
  (which: number, { mayGiveUp = false, rounds = 1 } = {}) =>
  (actor: TableActor): void => {
    const { ctx, core, table, id, keys } = actor;
    const { words } = ctx;
    const key = keys[which] ?? '';
    const hash = core.hashOf(key);
    for (let round = 0; round < rounds; round++) {
      enter(actor);
      const entry = table.take(key, hash);
      ctx.step('take');
      const isFree = words.cas32(entry + OFFICE, 0, id) === 0;
      if (!isFree) {
        words.store32(WAITS_AT + 4 * ctx.index, entry);
        change(words, entry, (office) => office + WAITER);
      }
      leave(actor);
      // A recovery may have freed it between the two reads.
      const isIn = isFree || wait(actor, entry, mayGiveUp);
      if (isIn) {
        ctx.assert(words.load32(entry + LIVE) === IN_USE, 'an agent owns an entry that was freed');
        ctx.assert(table.keyOf(entry) === key, 'an agent got the lock of another key');
        ctx.step('inside');
        ctx.assert(words.exchange32(INSIDE + 4 * which, id) === 0, 'two agents own one key');
        ctx.step('out');
        words.store32(INSIDE + 4 * which, 0);
      }
      if (!isIn || !releaseNow(actor, entry)) {
        enter(actor);
        const again = table.find(key, hash);
        if (isIn) {
          ctx.assert(again === entry, 'the entry of a key in use is not found');
          change(words, entry, handOver);
        }
        if (again !== 0) table.tidy(again);
        leave(actor);
      }
      ctx.forget(round);
    }
  };

/** Unlocks without the mutex of the table. Returns false if the mutex is necessary. */
function releaseNow({ ctx: { words }, table, id }: TableActor, entry: number): boolean {
  return table.stays(entry) && words.cas32(entry + OFFICE, id, 0) === id;
}

/** One change of the word of a lock, as a kernel step makes it. */
function change(words: Words, entry: number, to: (office: number) => number): void {
  for (;;) {
    const office = words.load32(entry + OFFICE);
    if (words.cas32(entry + OFFICE, office, to(office)) === office) return;
  }
}

/** Lets the owner hand the lock to a waiter, if there is one. */
function handOver(office: number): number {
  return office < WAITER ? 0 : office - (office % WAITER) - WAITER + HANDED;
}

/** Subtracts a waiter from the count. If the lock is on its way to that waiter, passes it on. */
function uncount(office: number): number {
  return office < WAITER ? 0 : office - WAITER;
}

function wait({ ctx, id }: TableActor, entry: number, mayGiveUp: boolean): boolean {
  const { words } = ctx;
  const givesUp = mayGiveUp && ctx.choose(2, 'gives up') === 1;
  if (givesUp) change(words, entry, uncount);
  else {
    for (;;) {
      ctx.until(() => isNext(words.load32(entry + OFFICE)));
      const office = words.load32(entry + OFFICE);
      if (!isNext(office)) continue;
      // It was handed over, or freed by a recovery before it was counted.
      const taken = office % WAITER === HANDED ? office - HANDED + id : office - WAITER + id;
      if (words.cas32(entry + OFFICE, office, taken) === office) break;
    }
  }
  words.store32(WAITS_AT + 4 * ctx.index, 0);
  return !givesUp;
}

function isNext(office: number): boolean {
  return office % WAITER === HANDED || office % WAITER === 0;
}

/** Locks a key if it is free, and unlocks it, even if it was stolen. */
export const holdOnce =
  (which: number, { rounds = 1 } = {}) =>
  (actor: TableActor): void => {
    const { ctx, core, table, id, keys } = actor;
    const { words } = ctx;
    const key = keys[which] ?? '';
    const hash = core.hashOf(key);
    for (let round = 0; round < rounds; round++) {
      enter(actor);
      const entry = unlessFull(ctx, () => table.take(key, hash));
      if (entry === undefined) {
        leave(actor);
        continue;
      }
      ctx.step('take');
      const isFree = words.cas32(entry + OFFICE, 0, id) === 0;
      leave(actor);
      if (!isFree) continue;
      ctx.step('inside');
      giveBack(actor, entry, key, hash);
      ctx.forget(round);
    }
  };

/** Steals the lock of a key from its owner, and unlocks it. */
export const steal =
  (which: number) =>
  (actor: TableActor): void => {
    const { ctx, core, table, id, keys } = actor;
    const { words } = ctx;
    const key = keys[which] ?? '';
    const hash = core.hashOf(key);
    enter(actor);
    table.collect();
    const found = unlessFull(ctx, () => table.take(key, hash));
    if (found === undefined) return leave(actor);
    let entry = found;
    ctx.step('take');
    if (words.cas32(entry + OFFICE, 0, id) !== 0) {
      const old = entry;
      const other = unlessFull(ctx, () => table.replace(old, key, hash));
      if (other === undefined) {
        ctx.assert(table.find(key, hash) === old, 'an entry is gone whose lock could not be stolen');
        table.tidy(old);
        leave(actor);
        return;
      }
      entry = other;
      ctx.assert(table.find(key, hash) === entry, 'the new entry is not found');
      ctx.step('own the new entry');
      words.store32(entry + OFFICE, id);
      // Its owner may have unlocked it without the mutex.
      if (words.load32(old + OFFICE) === 0) groundOf(words, ctx).free(old);
    }
    leave(actor);
    ctx.step('inside');
    giveBack(actor, entry, key, hash);
  };

function giveBack(actor: TableActor, entry: number, key: string, hash: number): void {
  const { ctx, table } = actor;
  const { words } = ctx;
  const isResident = table.stays(entry);
  if (isResident) {
    ctx.step('give back');
    words.store32(entry + OFFICE, 0);
    if (table.stays(entry)) return;
  }
  enter(actor);
  if (!isResident) {
    ctx.assert(words.load32(entry + LIVE) === IN_USE, 'an entry in use is freed');
    ctx.step('give back');
    words.store32(entry + OFFICE, 0);
  }
  // The agent that stole it has freed it, and another key has the entry now. A real entry has a tag.
  if (words.load32(entry + LIVE) === IN_USE && table.keyOf(entry) === key && words.load32(entry + OFFICE) === 0) {
    if (table.find(key, hash) === entry) table.tidy(entry);
    else groundOf(words, ctx).free(entry);
  }
  leave(actor);
}

/**
 * Searches for the entries that `free` of the table would free. Returns without effect while any entry is in use, in a
 * list or not.
 */
export const lookAtAll: (actor: TableActor) => void = (actor) => {
  const { ctx, table } = actor;
  enter(actor);
  if (table.hasReplaced) table.collect();
  table.sweep(true);
  const isUsed = table.all().length > 0;
  const isLeft = slots.some((slot) => ctx.words.load32(slot + LIVE) === IN_USE);
  ctx.assert(isUsed || !isLeft, 'the table would be freed while an entry is in no list');
  leave(actor);
};

/**
 * Does the core's part of the recovery of agent `victim`: hands on its mutexes, ends its wait, and frees its
 * unpublished block.
 */
export const recover =
  (victim: number) =>
  ({ ctx }: TableActor): void => {
    if (ctx.waitForDeath(victim)) bury(ctx.words, victim);
  };

function bury(words: Words, victim: number): void {
  const id = victim + 1;
  // Do this first: from the hand-over on another agent may own the lock.
  for (let key = 0; key < 3; key++) if (words.load32(INSIDE + 4 * key) === id) words.store32(INSIDE + 4 * key, 0);
  for (const slot of slots) {
    if (words.load32(slot + LIVE) === -id) words.store32(slot + LIVE, 0);
    if (words.load32(slot + OFFICE) % WAITER === id) change(words, slot, handOver);
  }
  const waitsAt = words.load32(WAITS_AT + 4 * victim);
  if (waitsAt !== 0) {
    change(words, waitsAt, uncount);
    words.store32(WAITS_AT + 4 * victim, 0);
  }
  if (words.load32(GUARD) !== id) return;
  words.store32(ORPHANED, 1);
  words.store32(GUARD, 0);
}

export interface TablePlan {
  readonly name: string;
  readonly bodies: readonly ((actor: TableActor) => unknown)[];
  readonly options: Case['options'];
  readonly mayCrash?: readonly number[];
  /** Locks are stolen. The next steal frees what dead holders left. */
  readonly steals?: boolean;
}

export function tableCase(
  { core, keys, buckets = 0, kept = 0, room }: TableSetup,
  { name, bodies, options, mayCrash, steals = false }: TablePlan,
): Case {
  const scenario: Scenario = {
    name,
    bytes: BYTES,
    setup: (words) => {
      words.put32(TABLE_AT + PAYLOAD, 0);
      words.put32(TABLE_AT + FORGETS, 1);
      words.put32(TABLE_AT + ENOUGH, 1000);
      words.put32(TABLE_AT + BUCKETS_AT, buckets);
      words.put32(TABLE_AT + KEPT, kept);
    },
    agents: bodies.map((body, index) => ({
      name: `agent ${index}`,
      body: (ctx: Context) =>
        body({ ctx, core, table: new core.EntryLists(groundOf(ctx.words, ctx, room)), id: index + 1, keys }),
    })),
    final: (words, outcomes) => checkRest(core, words, outcomes, steals),
    ...(mayCrash === undefined ? {} : { mayCrash, deaths: 1 }),
  };
  return { scenario, options };
}

/** Checks that nothing is left in the table or beside it. After a death this holds when the next agent has come. */
function checkRest(core: TableCore, words: Words, outcomes: readonly unknown[], steals: boolean): string | undefined {
  const table = new core.EntryLists(groundOf(words, undefined));
  try {
    for (const [agent, outcome] of outcomes.entries()) if (outcome === DIED) bury(words, agent);
    if (words.load32(GUARD) !== 0) return 'the mutex of the table is owned';
    if (words.load32(ORPHANED) !== 0 || (steals && outcomes.includes(DIED))) table.repair();
    // A dead owner's entry is unused. The next search for unused entries frees it.
    else if (outcomes.includes(DIED)) table.sweep();
    const residents = words.load32(TABLE_AT + RESIDENTS);
    const [listed, busy] = [[...table.entries()].length, [...table.busy()].length];
    if (busy !== 0) return `${busy} unused entries are no residents`;
    if (listed !== residents || residents > words.load32(TABLE_AT + KEPT))
      return `${residents} entries are counted as residents, and ${listed} are in the table`;
    table.sweep();
    const left = [...table.entries()].length;
    if (left !== 0) return `${left} unused entries are in the table`;
    if (words.load32(TABLE_AT + HEADS) !== 0) return 'the list has no end';
  } catch (failure) {
    return (failure as Error).message;
  }
  return slots.some((slot) => words.load32(slot + LIVE) !== 0) ? 'an entry is in no list and was not freed' : undefined;
}
