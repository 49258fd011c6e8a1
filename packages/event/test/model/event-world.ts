// A world with a manual-reset event, and the checks of its state.

import type { Words } from '@sluice/model';
import { asElement } from '../../../core/src/kernel/addresses.ts';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import { GRANT } from '../../../core/src/kernel/layout.ts';
import {
  OfficeWorld,
  putToSleep,
  type Office,
  type OfficeSetup,
  type Plan,
  type ShadowUser,
} from '../../../core/test/model/office-world.ts';
import { agentAt, semaphoreAddress, tagOf, TREASURE } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import type { ManualEventKernel } from '../../src/kinds.ts';
import type * as Entry from './entry.ts';

export type EventCore = typeof Entry;
export interface EventActor extends ShadowUser {
  readonly event: Entry.ManualResetEvent;
}
export type EventBody = (actor: EventActor) => unknown;

export const EVENT = semaphoreAddress(0);
export const TAG = tagOf(0);
/** The word that the setting agent writes before it sets the event, for the checks. */
export const PUBLISHED = TREASURE;

export interface EventPlan extends Partial<Omit<OfficeSetup & Plan<EventActor>, 'before'>> {
  /** The word at the start. Default 0: never set. */
  readonly word?: bigint;
  /** The agents that are enqueued and asleep at the start. */
  readonly asleep?: readonly number[];
}

class EventWorld extends OfficeWorld<EventActor> {
  constructor(core: EventCore, setup: OfficeSetup) {
    super(core, officeOf(core), setup, (shadowUser) => ({
      ...shadowUser,
      event: core.manualResetEventAt(shadowUser.ref, shadowUser.policy),
    }));
  }

  /** An event draws no tickets from the bouncer, so GRANT is not compared with them. */
  override checkRest(words: Words): string | undefined {
    return this.checkGathered(words);
  }
}

const officeOf = (core: EventCore): Office => ({
  kind: core.MANUAL_EVENT.code,
  load: (context) => context.load(core.MANUAL_EVENT).steps,
  flags: [0],
  rules: { gains: () => false, loses: () => false, releasesForDeadOwner: () => false },
  invariant: () => undefined,
});

/** A case: its bodies, and the state of the event at the start. */
export function eventCase(
  core: EventCore,
  name: string,
  bodies: readonly EventBody[],
  options: Case['options'],
  plan: EventPlan = {},
): Case {
  const { word = 0n, asleep = [], ...more } = plan;
  const before = (words: Words, kernel: Kernel): void => {
    words.put64(EVENT + GRANT, word);
    for (const agent of asleep)
      putToSleep(
        words,
        kernel,
        agent,
        asElement((kernel as ManualEventKernel).enqueueAtManualEvent(EVENT, TAG, agentAt(agent), 1)),
      );
  };
  return new EventWorld(core, { agents: bodies.length, ...more }).case({ name, bodies, options, ...more, before });
}
