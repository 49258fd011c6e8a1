// A world with a once, and the checks of its state.

import type { Words } from '@sluice/model';
import { asElement } from '../../../core/src/kernel/addresses.ts';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import { ENTRY_HELD, FLAG_GATE, GRANT } from '../../../core/src/kernel/layout.ts';
import {
  OfficeWorld,
  putToSleep,
  type Office,
  type OfficeSetup,
  type Plan,
  type ShadowUser,
} from '../../../core/test/model/office-world.ts';
import { agentAt, entryAt, insideAt, semaphoreAddress, tagOf, TREASURE } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import { ONCE_IDLE } from '../../src/kernel/layout.ts';
import { doneState } from '../../src/kernel/outcomes.ts';
import type { OnceKernel } from '../../src/kinds.ts';
import type * as Entry from './entry.ts';

export type OnceCore = typeof Entry;
export interface OnceActor extends ShadowUser {
  readonly once: Entry.Once;
}
export type OnceBody = (actor: OnceActor) => unknown;

export const ONCE = semaphoreAddress(0);
export const TAG = tagOf(0);
/** The word that an initialiser writes, for the checks. */
export const VALUE = TREASURE;
/** 1 + the index of the agent whose initialiser began last. */
export const RUNNER = TREASURE + 4;
/** 1: a call has returned, so no initialiser may begin. */
export const SEEN = insideAt(0);
/** The low half of the word when it is done. */
export const IS_DONE = doneState(TAG);

export interface OncePlan extends Partial<Omit<OfficeSetup & Plan<OnceActor>, 'before'>> {
  /** The number of failed attempts at the start. */
  readonly attempts?: number;
  /** The agent whose initialiser runs at the start. */
  readonly runs?: number;
  /** The agents that are enqueued and asleep at the start, without an initialiser. */
  readonly asleep?: readonly number[];
  /** The state at the end. Default: done. */
  readonly ends?: number | 'any';
}

export const stateAt = (words: Words): number => words.load32(ONCE + GRANT);

class OnceWorld extends OfficeWorld<OnceActor> {
  readonly #ends: number | 'any';

  constructor(core: OnceCore, setup: OfficeSetup, ends: number | 'any') {
    super(core, officeOf(core), setup, (shadowUser) => ({
      ...shadowUser,
      once: core.onceAt(shadowUser.ref, shadowUser.policy),
    }));
    this.#ends = ends;
  }

  /** A once draws no tickets from the bouncer, so GRANT is not compared with them. */
  override checkRest(words: Words): string | undefined {
    const state = stateAt(words);
    if (this.#ends !== 'any' && state !== this.#ends) return `the state ends as ${state}, expected ${this.#ends}`;
    for (let agent = 0; agent < this.setup.agents; agent++) {
      if (words.get64(entryAt(agent, 0) + ENTRY_HELD) !== 0n && state <= ONCE_IDLE)
        return `agent ${agent} ends as the holder of an attempt`;
    }
    return this.checkGathered(words);
  }
}

const officeOf = (core: OnceCore): Office => ({
  kind: core.ONCE.code,
  load: (context) => context.load(core.ONCE).steps,
  flags: [FLAG_GATE],
  rules: { gains: () => false, loses: () => false, releasesForDeadOwner: () => false },
  invariant: (words) =>
    stateAt(words) === IS_DONE && words.load32(VALUE) !== 1
      ? 'the once is done, but the value is not written'
      : undefined,
});

/** A case: its bodies, and the state of the once at the start. */
export function onceCase(
  core: OnceCore,
  name: string,
  bodies: readonly OnceBody[],
  options: Case['options'],
  plan: OncePlan = {},
): Case {
  const { attempts = 0, runs, asleep = [], ends = IS_DONE, ...more } = plan;
  const before = (words: Words, kernel: Kernel): void => {
    words.put64(ONCE + GRANT, BigInt.asIntN(64, BigInt(attempts) << 32n) + BigInt(runs === undefined ? 0 : runs + 1));
    if (runs !== undefined) {
      words.put64(entryAt(runs, 0) + ENTRY_HELD, 1n);
      words.put32(RUNNER, runs + 1);
    }
    for (const agent of asleep)
      putToSleep(
        words,
        kernel,
        agent,
        asElement((kernel as OnceKernel).enqueueAtOnce(ONCE, TAG, agentAt(agent), 1, 1)),
      );
  };
  return new OnceWorld(core, { agents: bodies.length, ...more }, ends).case({ name, bodies, options, ...more, before });
}
