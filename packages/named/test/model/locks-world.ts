// One name of a lock manager, and agents whose event loops make requests for it. The requests, the lines of the agent,
// and the semaphores of the lines are the real ones. The table is a short form, because it has models of its own
// (table-cases.ts): a mutex of one word, and a word with the line that the name leads to.

import type { Context, Options, Words } from '@sluice/model';
import { DIED } from '@sluice/model';
import { BLOCK_TAG, ENTRY_HELD, GATE } from '../../../core/src/kernel/layout.ts';
import type { Parking } from '../../../core/src/agent/parking.ts';
import { AsyncLoop, loopOf, ModelSignal, notifyLoops } from '../../../core/test/model/async-loop.ts';
import type { Case } from '../../../core/test/model/case.ts';
import { recoverOnce } from '../../../core/test/model/death-bodies.ts';
import { END, entryAt, semaphoreAddress, tagOf } from '../../../core/test/model/places.ts';
import { World, type Actor, type Body } from '../../../core/test/model/world.ts';
import type { RequestQueue } from '../../src/web-locks/request-queue.ts';
import type * as Entry from './locks-entry.ts';

export type LocksCore = typeof Entry;

/** The lines of one execution. A line that was freed is not used again. */
const LINES = 5;
const NAME = 'a';
/** The mutex of the table: its owner, and whether an owner died. */
const GUARD = END;
const ORPHANED = END + 4;
/** The line that the name leads to: its number, from 1; 0: none. How many lines were created. */
const LISTED = END + 8;
const CREATED = END + 12;
/** Whether a thief's callback was called. */
const STOLEN = END + 16;
/** Whether a line is a resident of the table, by line. */
const STAYS = END + 24;
/** The locks that an agent's callbacks hold in a line: 16 for an exclusive lock, 1 for a shared one. */
const INSIDE = END + 64;
/** A word for each line that counts the notifications of its tag. It is where the event loop of a model expects it. */
const BELLS = END + 256;
const BYTES = BELLS + LINES * 64;
const EXCLUSIVE = 16;

const isStaying = (line: number): number => STAYS + 4 * line;
const insideAt = (agent: number, line: number): number => INSIDE + 4 * (agent * LINES + line);
const bellOf = (line: number): number => BELLS + 64 * line + GATE;
const lineAt = (address: number): number =>
  [...Array(LINES).keys()].find((line) => semaphoreAddress(line) + BLOCK_TAG === address) ?? -1;

export interface LocksActor extends Actor {
  readonly locksCore: LocksCore;
  readonly parts: ConstructorParameters<typeof Entry.OpenRequest>[0];
  /** The line of the request whose callback is called next. */
  readonly last: { line: number };
}
export type LocksBody = (actor: LocksActor) => unknown;

export interface Plan {
  readonly name: string;
  readonly bodies: readonly LocksBody[];
  readonly options: Options;
  /** Whether the name's first line exists from the start, and stays when it is unused. */
  readonly stays?: boolean;
  readonly mayCrash?: readonly number[];
}

export class LocksWorld extends World {
  readonly #core: LocksCore;
  readonly #plan: Plan;

  constructor(core: LocksCore, plan: Plan) {
    super(core, {
      permits: Array<number>(LINES).fill(core.ALL),
      agents: plan.bodies.length,
      async: true,
      elements: 2 * plan.bodies.length + 2,
    });
    this.#core = core;
    this.#plan = plan;
  }

  get case(): Case {
    const { name, bodies, options, mayCrash } = this.#plan;
    const scenario = this.scenario(name, bodies as readonly Body[], undefined, {
      bytes: BYTES,
      final: (words, outcomes) => this.#checkRest(words, outcomes.includes(DIED)),
      ...(mayCrash === undefined ? {} : { mayCrash, deaths: 1 }),
    });
    return { scenario, options };
  }

  override layOut(words: Words): void {
    super.layOut(words);
    if (this.#plan.stays !== true) return;
    words.put32(LISTED, 1);
    words.put32(CREATED, 1);
    words.put32(isStaying(0), 1);
  }

  protected override parking(ctx: Context): Parking {
    const parking = super.parking(ctx);
    return {
      ...parking,
      // Waits for the end of a line.
      waitAsync: (address, expected, ...more) => {
        const line = lineAt(address);
        if (line < 0) return parking.waitAsync(address, expected, ...more);
        const told = loopOf(ctx)?.waitAsync(bellOf(line), 0);
        return ctx.words.load32(address) === expected ? (told as Promise<unknown> | undefined) : undefined;
      },
      notify: (address) => {
        const line = lineAt(address);
        if (line < 0) return parking.notify(address);
        ctx.step('notify');
        notifyLoops(ctx, bellOf(line));
        return 0;
      },
    };
  }

  override actor(ctx: Context): LocksActor {
    const actor = super.actor(ctx);
    const { context } = actor;
    // The real budget keeps a promise of the platform.
    const budget = {
      spend: () => undefined,
      done: () => Promise.resolve(),
      refuse: (failure: Error) => new Promise((_, reject) => reject(failure)),
    };
    Object.assign(context, { budget });
    // Those of the world would continue in a turn of the platform's event loop.
    for (let line = 0; line < LINES; line++) {
      const state = context.lineState(semaphoreAddress(line), tagOf(line), { recorded: true });
      Object.assign(state, { asyncWaits: new this.#core.AsyncWaits() });
    }
    const keys = new FakeTable(this.#core, actor, this.#plan.bodies.length) as never;
    const lines = new this.#core.LockLines(keys);
    const last = { line: -1 };
    const keep = lines.keep.bind(lines);
    lines.keep = (line: RequestQueue) => {
      last.line = lineAt(line.entry + BLOCK_TAG);
      keep(line);
    };
    return {
      ...actor,
      locksCore: this.#core,
      parts: { keys, lines, waiting: new this.#core.WaitingRequests(context) },
      last,
    };
  }

  #checkRest(words: Words, hasDied: boolean): string | undefined {
    if (words.load32(GUARD) !== 0) return 'the mutex of the table is owned';
    const listed = words.load32(LISTED) - 1;
    for (let line = 0; line < words.load32(CREATED); line++) {
      if (this.held(words, line) > 0) return `line ${line} is held`;
      const tag = words.load32(semaphoreAddress(line) + BLOCK_TAG);
      if (line === listed) {
        if (tag !== tagOf(line)) return 'the name leads to a line that has ended';
        if (!hasDied && words.load32(isStaying(line)) === 0) return 'the table has an unused line';
        const free = this.core.referenceKernel(words).balance(semaphoreAddress(line));
        if (free !== this.#core.ALL) return `the line of the name ends with ${free} free permits`;
      } else if (tag !== 0 && !hasDied) return `line ${line} was not freed`;
    }
    return this.checkGates(words);
  }
}

/** The table with one name, as an agent sees it. */
class FakeTable {
  readonly context: Actor['context'];
  readonly ref: object;
  readonly table: object;
  readonly blocks: object;
  readonly #core: LocksCore;
  readonly #ctx: Context;
  readonly #arena: object;
  readonly #agents: number;

  constructor(core: LocksCore, { ctx, context, core: { DEFAULT_POLICY } }: Actor, agents: number) {
    this.#core = core;
    this.#agents = agents;
    this.#ctx = ctx;
    this.context = context;
    this.#arena = {
      policy: { ...DEFAULT_POLICY, spinMicros: 0 },
      handle: { memory: undefined, arena: 'model' },
    };
    this.ref = this.#refOf(semaphoreAddress(0));
    const { words } = ctx;
    this.table = {
      stays: (entry: number) => words.load32(isStaying(this.#lineOf(entry))) === 1,
      find: () => this.#listed(),
      tidy: (entry: number) => this.#tidy(entry),
      replace: (old: number) => this.#replace(old),
      collect: () => this.#collect(),
    };
    this.blocks = {
      refOf: (entry: number) => this.#refOf(entry),
      isFree: (entry: number) => this.#isFree(entry),
      free: (entry: number) => this.#free(entry),
    };
  }

  hashOf(): number {
    return 0;
  }

  isThere(known: { readonly entry: number; readonly tag: number } | undefined): boolean {
    return known !== undefined && this.#ctx.words.load32(known.entry + BLOCK_TAG) === known.tag;
  }

  under<T>(act: () => T): T {
    this.#enter();
    const result = act();
    this.#leave();
    return result;
  }

  afterWait(act: () => void): void {
    this.under(act);
  }

  visit<T>(
    _: string,
    known: { readonly entry: number; readonly tag: number } | undefined,
    act: (entry: number) => T,
  ): T {
    return this.under(() => act(this.isThere(known) ? (known?.entry ?? 0) : this.#listed() || this.#create()));
  }

  #enter(): void {
    const { words, index } = this.#ctx;
    do this.#ctx.until(() => words.load32(GUARD) === 0);
    while (words.cas32(GUARD, 0, index + 1) !== 0);
    if (words.load32(ORPHANED) === 0) return;
    this.#collect();
    this.#ctx.step('repaired');
    words.store32(ORPHANED, 0);
  }

  #leave(): void {
    this.#ctx.step('leave');
    this.#ctx.words.store32(GUARD, 0);
  }

  #listed(): number {
    const line = this.#ctx.words.get32(LISTED);
    return line === 0 ? 0 : semaphoreAddress(line - 1);
  }

  /** Creates a line, and lets the name lead to it. */
  #create(): number {
    const { words } = this.#ctx;
    const line = words.get32(CREATED);
    if (line === LINES) throw new Error('The model has no line left.');
    this.#ctx.step('create');
    words.store32(CREATED, line + 1);
    this.#ctx.step('list');
    words.store32(LISTED, line + 1);
    return semaphoreAddress(line);
  }

  #replace(old: number): number {
    this.#ctx.step('replace');
    this.#ctx.words.store32(isStaying(this.#lineOf(old)), 0);
    return this.#create();
  }

  #tidy(entry: number): void {
    const { words } = this.#ctx;
    if (words.load32(isStaying(this.#lineOf(entry))) === 1 || !this.#isFree(entry)) return;
    this.#ctx.step('unlist');
    words.store32(LISTED, 0);
    this.#free(entry);
  }

  /** Frees the unused lines that the name does not lead to, and ends the others. */
  #collect(): void {
    const { words } = this.#ctx;
    for (let line = 0; line < words.get32(CREATED); line++) {
      const entry = semaphoreAddress(line);
      if (entry === this.#listed() || words.load32(entry + BLOCK_TAG) === 0) continue;
      if (this.#isFree(entry)) this.#free(entry);
      else this.#core.LINES.abandon?.(this.#refOf(entry));
    }
  }

  #isFree(entry: number): boolean {
    return !this.#isHeld(this.#lineOf(entry)) && this.#core.LINES.isFree(this.context, entry, true);
  }

  /** Whether an agent holds the lock of a line, by the ledgers of the world. */
  #isHeld(line: number): boolean {
    return [...Array(this.#agents).keys()].some(
      (agent) => this.#ctx.words.load64(entryAt(agent, line) + ENTRY_HELD) !== 0n,
    );
  }

  #free(entry: number): void {
    const { words } = this.#ctx;
    this.#ctx.step('free');
    this.#ctx.assert(!this.#isHeld(this.#lineOf(entry)), 'a line is freed whose lock is held');
    this.#ctx.assert(words.load32(entry + BLOCK_TAG) !== 0, 'a line is freed twice');
    words.store32(entry + BLOCK_TAG, 0);
    this.#core.LINES.freed?.(this.context, entry);
  }

  #refOf(entry: number) {
    const line = this.#lineOf(entry);
    return { arena: this.#arena, context: this.context, address: semaphoreAddress(line), tag: tagOf(line) } as never;
  }

  #lineOf(entry: number): number {
    return lineAt(entry + BLOCK_TAG);
  }
}

/** A request, and what its callback does. */
export interface Wish {
  readonly mode?: 'shared';
  readonly ifAvailable?: true;
  readonly steal?: true;
  /** Its signal may be aborted at any moment. */
  readonly mayAbort?: true;
  /** It is made in a later turn of the event loop. */
  readonly isLater?: true;
  /**
   * The promise of its callback settles in a later turn, when the request behind it has settled, or when the request
   * was told of a steal, if the lock was not stolen before.
   */
  readonly holds?: 'for a turn' | 'until the next is over' | 'until it is stolen';
}

/** Makes requests. `isRobbed`: another agent may steal the lock. */
export const requests =
  (all: readonly Wish[], { isRobbed = false } = {}): LocksBody =>
  (actor) => {
    const { ctx, parts, last, locksCore } = actor;
    const { words } = ctx;
    const loop = new AsyncLoop(ctx);
    let [over, open, served] = [0, 0, -1];
    /** The requests that wait for the lock, by their indexes. */
    const waiting = new Set<number>();
    /** Callbacks for the moment in which a request settles, by its index. */
    const awaited = new Map<number, () => void>();
    const begin = (wish: Wish, index: number): void => {
      const { mode = 'exclusive' as const, ifAvailable = false, steal = false, mayAbort, holds } = wish;
      const isThief = steal;
      const signal = mayAbort === undefined ? undefined : loop.mayAbort(new ModelSignal());
      // As a promise, which the first of several calls settles.
      let isSettled = false;
      const callback = (lock: object | null): unknown => {
        if (lock === null) {
          ctx.assert(ifAvailable, 'a request that waits got no lock');
          return 'no lock';
        }
        waiting.delete(index);
        if (ifAvailable) ctx.assert(![...waiting].some((each) => each < index), 'a request overtakes one that waits');
        if (!steal && !ifAvailable) {
          ctx.assert(index > served, `request ${index} is served after request ${served}`);
          served = index;
        }
        const { line } = last;
        ctx.assert(words.get64(entryAt(ctx.index, line) + ENTRY_HELD) > 0n, 'a callback is called without the lock');
        const weight = mode === 'exclusive' ? EXCLUSIVE : 1;
        const mine = insideAt(ctx.index, line);
        ctx.step('inside');
        words.store32(mine, words.get32(mine) + weight);
        let sum = 0;
        for (let agent = 0; agent < 4; agent++) sum += words.get32(insideAt(agent, line));
        ctx.assert(sum === EXCLUSIVE || sum < EXCLUSIVE, `an exclusive lock is shared: ${sum}`);
        // The lines that have not ended, and in which a callback has the lock.
        const live = [...Array(LINES).keys()].filter(
          (each) =>
            words.get32(semaphoreAddress(each) + BLOCK_TAG) === tagOf(each) &&
            [0, 1, 2, 3].some((agent) => words.get32(insideAt(agent, each)) > 0),
        );
        ctx.assert(live.length < 2, 'a lock is held in two lines');
        const before = words.load32(STOLEN);
        if (isThief) words.store32(STOLEN, 1);
        open += 1;
        const end = (): string => {
          ctx.step('out');
          words.put32(mine, words.get32(mine) - weight);
          open -= 1;
          return !isThief && before !== words.load32(STOLEN) ? 'robbed' : 'held';
        };
        if (holds === undefined || (holds === 'until it is stolen' && (before === 1 || isSettled))) return end();
        return new Promise<void>((resolve) => {
          if (holds === 'for a turn') setImmediate(resolve);
          else awaited.set(holds === 'until it is stolen' ? index : index + 1, resolve);
        }).then(end);
      };
      const settle = (): boolean => {
        if (isSettled) return false;
        isSettled = true;
        waiting.delete(index);
        over += 1;
        awaited.get(index)?.();
        return true;
      };
      const resolve = (result: unknown): void => {
        if (!settle()) return;
        ctx.assert(result !== 'robbed', 'a request resolves although its lock was stolen');
      };
      const reject = (failure: unknown): void => {
        if (!settle()) return;
        const { name = failure } = failure as { readonly name?: unknown };
        const isExpected = name === 'AbortError' ? isRobbed : name === 'aborted' && mayAbort === true;
        ctx.assert(isExpected, `a request failed: ${String(failure)}`);
      };
      if (!steal && !ifAvailable) waiting.add(index);
      const request = { name: NAME, mode, ifAvailable, steal, signal: signal as never, callback: callback as never };
      try {
        new locksCore.OpenRequest(parts, request, resolve, reject).begin();
      } catch (failure) {
        reject(failure);
      }
    };
    loop.run(
      () => {
        for (const [index, wish] of all.entries())
          if (wish.isLater === true) setImmediate(() => begin(wish, index));
          else begin(wish, index);
      },
      () => over >= all.length && open === 0,
    );
    ctx.assert(parts.waiting.add(NAME).before === undefined, 'a request that has settled still has its place');
  };

/** Recovers a dead agent. Then requests the lock, so that the agent enters the table. */
export const bury =
  (victim: number, manner = {}): LocksBody =>
  (actor) => {
    const { ctx } = actor;
    const { words } = ctx;
    if (ctx.waitForDeath(victim)) {
      for (let line = 0; line < LINES; line++) words.put32(insideAt(victim, line), 0);
      if (words.load32(GUARD) === victim + 1) {
        words.store32(ORPHANED, 1);
        words.store32(GUARD, 0);
      }
      recoverOnce(actor, victim);
    }
    requests([{}], manner)(actor);
  };
