// A world with an event count, and the checks of its state.

import type { Words } from '@sluice/model';
import { asElement } from '../../../../core/src/kernel/addresses.ts';
import type { Kernel } from '../../../../core/src/kernel/kernel.ts';
import { GRANT } from '../../../../core/src/kernel/layout.ts';
import type { Case } from '../../../../core/test/model/case.ts';
import {
  OfficeWorld,
  putToSleep,
  type Office,
  type OfficeSetup,
  type Plan,
  type ShadowUser,
} from '../../../../core/test/model/office-world.ts';
import { agentAt, semaphoreAddress, tagOf, TREASURE } from '../../../../core/test/model/places.ts';
import type { EventCountKernel } from '../../../src/event-count/kinds.ts';
import type * as Entry from './entry.ts';

export type EventCountCore = typeof Entry;
export interface EventCountActor extends ShadowUser {
  readonly event: Entry.EventCount;
}
export type EventCountBody = (actor: EventCountActor) => unknown;

export const EVENT = semaphoreAddress(0);
export const TAG = tagOf(0);
/** The word in which the advancing agent writes the next count before it advances, for the checks. */
export const PUBLISHED = TREASURE;

export interface EventCountPlan extends Partial<Omit<OfficeSetup & Plan<EventCountActor>, 'before'>> {
  /** The count at the start. Default 0. */
  readonly count?: bigint;
  /** The agents that are enqueued and asleep at the start, with their values. */
  readonly asleep?: readonly (readonly [agent: number, value: number])[];
}

class EventCountWorld extends OfficeWorld<EventCountActor> {
  constructor(core: EventCountCore, setup: OfficeSetup) {
    super(core, officeOf(core), setup, (shadowUser) => ({
      ...shadowUser,
      event: core.eventCountAt(shadowUser.ref, shadowUser.policy),
    }));
  }

  /** An event count draws no tickets from the bouncer, so GRANT is not compared with them. */
  override checkRest(words: Words): string | undefined {
    return this.checkGathered(words);
  }
}

const officeOf = (core: EventCountCore): Office => ({
  kind: core.EVENT_COUNT.code,
  load: (context) => context.load(core.EVENT_COUNT).steps,
  flags: [0],
  rules: { gains: () => false, loses: () => false, releasesForDeadOwner: () => false },
  invariant: () => undefined,
});

/** A case: its bodies, and the state of the event count at the start. */
export function eventCountCase(
  core: EventCountCore,
  name: string,
  bodies: readonly EventCountBody[],
  options: Case['options'],
  plan: EventCountPlan = {},
): Case {
  const { count = 0n, asleep = [], ...more } = plan;
  const before = (words: Words, kernel: Kernel): void => {
    words.put64(EVENT + GRANT, count);
    for (const [agent, value] of asleep)
      putToSleep(
        words,
        kernel,
        agent,
        asElement((kernel as EventCountKernel).enqueueAtEventCount(EVENT, TAG, agentAt(agent), 1, value)),
      );
  };
  return new EventCountWorld(core, { agents: bodies.length, ...more }).case({
    name,
    bodies,
    options,
    ...more,
    before,
  });
}
