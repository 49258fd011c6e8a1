// A world with a countdown latch, and the checks of its state.

import type { Words } from '@sluice/model';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import { ENTRY_HELD, GRANT } from '../../../core/src/kernel/layout.ts';
import {
  OfficeWorld,
  putToSleep,
  type Office,
  type OfficeSetup,
  type Plan,
  type ShadowUser,
} from '../../../core/test/model/office-world.ts';
import { agentAt, entryAt, semaphoreAddress, tagOf, TREASURE } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import { CLAIM_ROUND } from '../../src/kernel/layout.ts';
import type { LatchKernel } from '../../src/kinds.ts';
import type * as Entry from './entry.ts';
import { asElement } from '../../../core/src/kernel/addresses.ts';

export type LatchCore = typeof Entry;
export interface LatchActor extends ShadowUser {
  readonly latch: Entry.CountdownLatch;
}
export type LatchBody = (actor: LatchActor) => unknown;

export const LATCH = semaphoreAddress(0);
export const TAG = tagOf(0);
/** Words for the checks: the last round that an agent has begun, and the last round whose work is finished. */
export const STARTED = TREASURE;
export const FINISHED = TREASURE + 4;

export interface LatchPlan extends Partial<Omit<OfficeSetup & Plan<LatchActor>, 'before'>> {
  /** The count at the start. Default 1. */
  readonly count?: number;
  /** The number of rounds that have ended at the start. */
  readonly rounds?: number;
  /** The claims of the agents at the start. */
  readonly claims?: readonly number[];
  /** The round of these claims. Default: the round at the start. */
  readonly claimedIn?: number;
  /** The agents that are enqueued and asleep at the start. */
  readonly asleep?: readonly number[];
  /** The count at the end. Default 0. */
  readonly ends?: number | 'any';
}

const countAt = (words: Words): number => 0 - words.load32(LATCH + GRANT);

class LatchWorld extends OfficeWorld<LatchActor> {
  readonly #ends: number | 'any';

  constructor(core: LatchCore, setup: OfficeSetup, ends: number | 'any') {
    super(core, officeOf(core), setup, (shadowUser) => ({
      ...shadowUser,
      latch: core.countdownLatchAt(shadowUser.ref, shadowUser.policy),
    }));
    this.#ends = ends;
  }

  /** A latch draws no tickets from the bouncer, so GRANT is not compared with them. */
  override checkRest(words: Words): string | undefined {
    const count = countAt(words);
    return this.#ends === 'any' || count === this.#ends
      ? this.checkGathered(words)
      : `the count ends at ${count}, expected ${this.#ends}`;
  }
}

const officeOf = (core: LatchCore): Office => ({
  kind: core.LATCH.code,
  load: (context) => context.load(core.LATCH).steps,
  flags: [0],
  rules: { gains: () => false, loses: () => false, releasesForDeadOwner: () => false },
  invariant: (words) => (countAt(words) < 0 ? `the count is ${countAt(words)}` : undefined),
});

/** A case: its bodies, and the state of the latch at the start. */
export function latchCase(
  core: LatchCore,
  name: string,
  bodies: readonly LatchBody[],
  options: Case['options'],
  plan: LatchPlan = {},
): Case {
  const { count = 1, rounds = 0, claims = [], claimedIn = rounds, asleep = [], ends = 0, ...more } = plan;
  const before = (words: Words, kernel: Kernel): void => {
    // A count of 0 carries into the upper half.
    words.put64(
      LATCH + GRANT,
      BigInt.asIntN(64, (BigInt(rounds) << 32n) + (count === 0 ? 0n : 2n ** 32n - BigInt(count))),
    );
    for (const [agent, claim] of claims.entries()) {
      words.put64(entryAt(agent, 0) + ENTRY_HELD, BigInt(claim));
      words.put32(entryAt(agent, 0) + CLAIM_ROUND, claimedIn);
    }
    for (const agent of asleep)
      putToSleep(
        words,
        kernel,
        agent,
        asElement((kernel as LatchKernel).enqueueAtLatch(LATCH, TAG, agentAt(agent), 1)),
      );
  };
  return new LatchWorld(core, { agents: bodies.length, ...more }, ends).case({
    name,
    bodies,
    options,
    ...more,
    before,
  });
}
