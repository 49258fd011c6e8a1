// A world with the slots of two keys and of both together. The table is a fake: its entries are the semaphores of the
// world, and no entry comes or goes. The table itself has a model of its own (table-cases.ts).

import type { Context, Options, Words } from '@sluice/model';
import { GRANT, TICKET } from '../../../core/src/kernel/layout.ts';
import { checkDead } from '../../../core/test/model/death-cases.ts';
import { recoverOnce } from '../../../core/test/model/death-bodies.ts';
import { semaphoreAddress, tagOf } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import { World, type Actor, type Core } from '../../../core/test/model/world.ts';
import type * as Entry from './slots-entry.ts';

export type SlotsCore = typeof Entry & Core;
export type Key = 'a' | 'b';

export interface SlotsActor extends Actor {
  readonly slots: Entry.KeySlots;
}
export type SlotsBody = (actor: SlotsActor) => unknown;

/** The semaphores of the world. */
const INDEX = { a: 0, b: 1 } as const;
const TOTAL = 2;

export interface Plan {
  readonly name: string;
  /** The slots of each key, and of both together. */
  readonly sizes: readonly [ofKey: number, total: number];
  readonly bodies: readonly SlotsBody[];
  readonly options: Options;
  /** Whether calls may give up. A place in line that was given up counts until the line moves. */
  readonly givesUp?: true;
  readonly mayCrash?: readonly number[];
}

export class SlotsWorld extends World {
  readonly #core: SlotsCore;
  readonly #plan: Plan;

  constructor(core: SlotsCore, plan: Plan) {
    const [ofKey, total] = plan.sizes;
    super(core, { permits: [ofKey, ofKey, total], agents: plan.bodies.length });
    this.#core = core;
    this.#plan = plan;
  }

  get case(): Case {
    const { name, bodies, options, mayCrash } = this.#plan;
    const scenario = this.scenario(name, bodies as readonly ((actor: Actor) => unknown)[], undefined, {
      ...(mayCrash === undefined
        ? {}
        : {
            mayCrash,
            deaths: mayCrash.length,
            final: (words, outcomes) => this.checkEnd(words, this.setup.permits) ?? checkDead(this, words, outcomes),
          }),
    });
    return { scenario, options };
  }

  override actor(ctx: Context): SlotsActor {
    const actor = super.actor(ctx);
    const { context } = actor;
    const policy = { ...this.core.DEFAULT_POLICY, spinMicros: 0 };
    const arena = { policy, handle: { memory: undefined, arena: 'model' } } as never;
    const refOf = (index: number) => ({
      arena,
      context,
      address: semaphoreAddress(index),
      tag: tagOf(index),
    });
    const entryOf = (key: Key): number => semaphoreAddress(INDEX[key]);
    const keys = {
      context,
      ref: refOf(TOTAL),
      enterNow: () => false,
      isThere: () => true,
      visit: (key: Key, _known: unknown, act: (entry: number) => unknown) => act(entryOf(key)),
      look: (key: Key, _known: unknown, _may: boolean, act: (entry: number) => unknown) => act(entryOf(key)),
      tidy: () => undefined,
      table: { stays: () => true, tidy: () => undefined },
      blocks: { refOf: (entry: number) => refOf(entry === entryOf('a') ? INDEX.a : INDEX.b) },
    } as never;
    const total = new this.#core.SlotLine(refOf(TOTAL));
    return { ...actor, slots: new this.#core.KeySlots(keys, total) };
  }

  /** Checks the bound of fairness, too: each call at the slots of all keys has a slot of its key. */
  override checkHeld(words: Words): string | undefined {
    const [ofKey, total] = this.#plan.sizes;
    for (const index of [INDEX.a, INDEX.b])
      if (this.held(words, index) > ofKey) return `more than ${ofKey} slots of key ${index} are held`;
    if (this.held(words, TOTAL) > total) return `more than ${total} slots of all keys are held`;
    if (this.#plan.givesUp === true) return undefined;
    const sem = semaphoreAddress(TOTAL);
    const inLine = Math.max(0, Number(words.get64(sem + TICKET) - words.get64(sem + GRANT)));
    const atTotal = inLine + this.held(words, TOTAL);
    const withKey = this.held(words, INDEX.a) + this.held(words, INDEX.b);
    return atTotal > withKey ? `${atTotal} calls are at the slots of all keys, but ${withKey} have a key's` : undefined;
  }
}

/** A call that blocks until it has its slots. */
export const run =
  (key: Key, rounds = 1): SlotsBody =>
  ({ ctx, slots }) => {
    for (let round = 0; round < rounds; round++) {
      if (!slots.tryTake(key)) slots.take(key, Infinity);
      ctx.step('while it runs');
      slots.release(key);
    }
  };

/** A call that runs only if its slots are free. */
export const tryRun =
  (key: Key): SlotsBody =>
  ({ ctx, slots }) => {
    if (!slots.tryTake(key)) return;
    ctx.step('while it runs');
    slots.release(key);
  };

/** A call that gives up after some time, or gets its slots. */
export const giveUp =
  (key: Key): SlotsBody =>
  ({ ctx, slots }) => {
    if (!slots.take(key, 5)) return;
    ctx.step('while it runs');
    slots.release(key);
  };

/** Recovers a dead agent, then makes a call for each key. */
export const bury =
  (victim: number): SlotsBody =>
  (actor) => {
    if (actor.ctx.waitForDeath(victim)) recoverOnce(actor, victim);
    for (const key of ['a', 'b'] as const) run(key)(actor);
  };
