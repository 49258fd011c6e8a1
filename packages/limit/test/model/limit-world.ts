// A world with the slots of a limit: the invariants at every moment, and the checks at the end.

import type { Context, Options, Words } from '@sluice/model';
import { BLOCK_LINE } from '../../../core/src/kernel/layout.ts';
import { checkDead } from '../../../core/test/model/death-cases.ts';
import { END, semaphoreAddress, tagOf } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import { World, type Actor } from '../../../core/test/model/world.ts';
import type * as Entry from './entry.ts';

export type LimitCore = typeof Entry;
export interface LimitActor extends Actor {
  readonly slots: Entry.SizedSlots;
}
export type LimitBody = (actor: LimitActor) => unknown;

export interface Plan {
  readonly name: string;
  /** The number of slots at the start. */
  readonly size: number;
  /** The largest number of slots that an agent sets. */
  readonly most: number;
  readonly bodies: readonly LimitBody[];
  readonly options: Options;
  readonly mayCrash?: readonly number[];
  readonly deaths?: number;
}

/** The word with the two numbers of slots: how many should exist, and how many exist. */
const WORD = END;

function read(words: Words): { readonly target: number; readonly existing: number } {
  const both = words.get64(WORD);
  return { target: Number(BigInt.asIntN(32, both)), existing: Number(both >> 32n) };
}

/** Returns whether there are surplus slots, and whether a waiter is in line. */
export function claimsOn({ context: { words, kernel } }: Actor): {
  readonly surplus: boolean;
  readonly waiter: boolean;
} {
  return { surplus: words.load32(WORD + 4) > words.load32(WORD), waiter: kernel.balance(semaphoreAddress(0)) < 0 };
}

export class LimitWorld extends World {
  readonly #core: LimitCore;
  readonly #plan: Plan;

  constructor(core: LimitCore, plan: Plan) {
    super(core, { permits: [plan.size], agents: plan.bodies.length, most: plan.most });
    this.#core = core;
    this.#plan = plan;
  }

  get case(): Case {
    const { name, bodies, options, mayCrash = [], deaths = mayCrash.length } = this.#plan;
    const scenario = this.scenario(name, bodies as readonly ((actor: Actor) => unknown)[], undefined, {
      bytes: WORD + 8,
      mayCrash,
      deaths,
      final: (words, outcomes) => this.#checkRest(words) ?? checkDead(this, words, outcomes),
    });
    return { scenario, options };
  }

  override layOut(words: Words): void {
    super.layOut(words);
    const { size } = this.#plan;
    words.put64(WORD, (BigInt(size) << 32n) | BigInt(size));
  }

  override actor(ctx: Context): LimitActor {
    const actor = super.actor(ctx);
    const place = { arena: actor.sem.arena, context: actor.context, address: semaphoreAddress(0), tag: tagOf(0) };
    const word = { handle: { address: WORD - BLOCK_LINE }, free: () => undefined } as never;
    return { ...actor, slots: new this.#core.SizedSlots(actor.sem, word, place) };
  }

  override checkHeld(words: Words): string | undefined {
    const { target, existing } = read(words);
    if (existing < target) return `${existing} slots exist, but ${target} should`;
    const held = this.held(words, 0);
    return held > existing ? `${held} slots are held, but ${existing} exist` : super.checkHeld(words);
  }

  #checkRest(words: Words): string | undefined {
    const { target, existing } = read(words);
    if (existing !== target) return `ends with ${existing} slots, but ${target} should exist`;
    return this.checkEnd(words, [target]);
  }
}
