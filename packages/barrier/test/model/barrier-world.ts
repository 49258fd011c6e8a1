// A world with a barrier, and the checks of its state.

import type { Words } from '@sluice/model';
import { asElement } from '../../../core/src/kernel/addresses.ts';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import { ENTRY_HELD, FLAG_SLEEP_WORD, GRANT } from '../../../core/src/kernel/layout.ts';
import {
  OfficeWorld,
  putToSleep,
  type Loading,
  type Office,
  type OfficeSetup,
  type Plan,
  type ShadowUser,
} from '../../../core/test/model/office-world.ts';
import { agentAt, entryAt, insideAt, semaphoreAddress, tagOf, TREASURE } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import { ACTING, ARRIVED, BROKEN, PARTIES, PARTIES_AT, RESETS } from '../../src/kernel/layout.ts';
import type { BarrierKernel } from '../../src/kinds.ts';
import type * as Entry from './entry.ts';

export type BarrierCore = typeof Entry;
export interface BarrierActor extends ShadowUser {
  readonly barrier: Entry.Barrier;
  /** Returns an instance with an action, which checks that it runs alone. */
  readonly acting: Entry.Barrier;
  /** Returns an instance with another action. */
  readonly withAction: (action: () => void) => Entry.Barrier;
}
export type BarrierBody = (actor: BarrierActor) => unknown;

/** The outcome of an arrival. */
export type Arrival = 'leads' | 'follows' | 'broke' | 'late';

export const BARRIER = semaphoreAddress(0);
export const TAG = tagOf(0);
/** A word that counts the runs of an action, for the checks. */
export const ACTIONS = TREASURE;

export interface BarrierPlan extends Partial<Omit<OfficeSetup & Loading & Plan<BarrierActor>, 'before'>> {
  /** Default: the number of agents. */
  readonly parties?: number;
  /** The number of generations that have ended at the start. */
  readonly generations?: number;
  /** The number of resets at the start. */
  readonly resets?: number;
  /** The numbers of parties that the agents have at the start. */
  readonly claims?: readonly number[];
  /** The agents that are enqueued and asleep at the start. */
  readonly asleep?: readonly number[];
  /** The number of parties at the end. Default: as at the start. */
  readonly ends?: number | 'any';
  /** Whether the barrier may be broken at the end. */
  readonly mayBreak?: boolean;
}

export function lowOf(words: Words): number {
  return words.load32(BARRIER + GRANT);
}

class BarrierWorld extends OfficeWorld<BarrierActor> {
  readonly #ends: number | 'any';
  readonly #mayBreak: boolean;

  constructor(core: BarrierCore, setup: OfficeSetup & Loading, ends: number | 'any', mayBreak: boolean) {
    super(core, officeOf(core), setup, (shadowUser) => {
      const { ctx } = shadowUser;
      // An agent of this kind has loaded no kernel for barriers.
      if (setup.without?.includes(ctx.index) === true) return shadowUser as BarrierActor;
      const act = (): void => {
        ctx.words.store32(ACTIONS, ctx.words.load32(ACTIONS) + 1);
      };
      const withAction = (action?: () => void): Entry.Barrier =>
        core.barrierAt(shadowUser.ref, shadowUser.policy, action);
      return { ...shadowUser, barrier: withAction(), acting: withAction(act), withAction };
    });
    this.#ends = ends;
    this.#mayBreak = mayBreak;
  }

  /** A barrier draws no tickets from the bouncer, so GRANT is not compared with them. */
  override checkRest(words: Words): string | undefined {
    const low = lowOf(words);
    const parties = (low & PARTIES) >>> PARTIES_AT;
    if (this.#ends !== 'any' && parties !== this.#ends) return `${parties} parties at the end, expected ${this.#ends}`;
    if ((low & BROKEN) !== 0 && !this.#mayBreak) return 'the barrier ends broken';
    if ((low & ACTING) !== 0) return 'an action runs at the end';
    return this.checkGathered(words);
  }
}

const officeOf = (core: BarrierCore): Office => ({
  kind: core.BARRIER.code,
  load: (context) => context.load(core.BARRIER).steps,
  flags: [FLAG_SLEEP_WORD],
  rules: { gains: () => false, loses: () => false, releasesForDeadOwner: () => false },
  invariant: (words) => {
    const low = lowOf(words);
    const [parties, arrived] = [(low & PARTIES) >>> PARTIES_AT, low & ARRIVED];
    if ((low & ACTING) !== 0 && (arrived !== 0 || (low & BROKEN) !== 0))
      return `ACTING with 0x${(low >>> 0).toString(16)}`;
    if ((low & BROKEN) === 0 && arrived >= parties && arrived > 0)
      return `${arrived} of ${parties} parties have arrived, and wait`;
    return undefined;
  },
});

/** A case: its bodies, and the state of the barrier at the start. */
export function barrierCase(
  core: BarrierCore,
  name: string,
  bodies: readonly BarrierBody[],
  options: Case['options'],
  plan: BarrierPlan = {},
): Case {
  const {
    parties = bodies.length,
    generations = 0,
    resets = 0,
    claims = [],
    asleep = [],
    ends = parties,
    mayBreak = false,
    ...more
  } = plan;
  const before = (words: Words, kernel: Kernel): void => {
    words.put64(BARRIER + GRANT, BigInt.asIntN(64, (BigInt(generations) << 32n) + BigInt(parties << PARTIES_AT)));
    words.put64(BARRIER + RESETS, BigInt.asIntN(64, (BigInt(generations) << 32n) + BigInt(resets)));
    for (const [agent, claim] of claims.entries()) words.put64(entryAt(agent, 0) + ENTRY_HELD, BigInt(claim));
    for (const agent of asleep) {
      words.put32(insideAt(agent), 1);
      putToSleep(
        words,
        kernel,
        agent,
        asElement((kernel as BarrierKernel).arriveAtBarrier(BARRIER, TAG, agentAt(agent), entryAt(agent, 0), 1, 0)),
      );
    }
  };
  return new BarrierWorld(core, { agents: bodies.length, ...more }, ends, mayBreak).case({
    name,
    bodies,
    options,
    ...more,
    before,
  });
}
