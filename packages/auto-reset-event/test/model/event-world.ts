// A world with an auto-reset event. Its check: at the end no signal is lost or doubled.

import type { Words } from '@sluice/model';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import { OFFICE } from '../../../core/src/kernel/layout.ts';
import {
  OfficeWorld,
  putToSleep,
  type Office,
  type OfficeSetup,
  type ShadowUser,
} from '../../../core/test/model/office-world.ts';
import { agentAt, entryAt, holdsAt, semaphoreAddress, tagOf, TREASURE } from '../../../core/test/model/places.ts';
import type { Rules } from '../../../core/test/model/witness.ts';
import type { EventKernel } from '../../src/kinds.ts';
import type * as Entry from './entry.ts';
import type { EntryAddress } from '../../../core/src/kernel/addresses.ts';
import { asElement } from '../../../core/src/kernel/addresses.ts';

export type EventCore = typeof Entry;
export interface EventActor extends ShadowUser {
  readonly event: Entry.AutoResetEvent;
}
export type EventBody = (actor: EventActor) => unknown;

export const EVENT = semaphoreAddress(0);
export const TAG = tagOf(0);

/** The steps by which an agent consumes a signal. */
const RULES: Rules = {
  gains: (step) => ['consumeEvent', 'enqueueAtEvent', 'pollEvent', 'cancelEventWait'].includes(step),
  loses: () => false,
  releasesForDeadOwner: () => false,
};

function invariant(words: Words, agents: number): string | undefined {
  const status = words.get32(EVENT + OFFICE);
  return status > 1 || status < -agents ? `the status is ${status}` : undefined;
}

const officeOf = ({ EVENT: kind }: EventCore): Office => ({
  kind: kind.code,
  load: (context) => context.load(kind).steps,
  flags: [0],
  rules: RULES,
  invariant,
  // A kept signal, or a signal that was granted but not consumed.
  mayEndWith: (word) => word === 1n,
});

export function eventWorld(core: EventCore, setup: OfficeSetup): OfficeWorld<EventActor> {
  return new OfficeWorld(core, officeOf(core), setup, (shadowUser) => ({
    ...shadowUser,
    event: core.autoResetEventAt(shadowUser.ref, shadowUser.policy),
  }));
}

/** The element of the wait that this agent is in from the start. */
export function draw(kernel: Kernel, agent: number): number {
  return (kernel as EventKernel).enqueueAtEvent(EVENT, TAG, agentAt(agent));
}

/** Enqueues the agents from `first` to `last`, asleep. */
export const inLine =
  (first: number, last: number) =>
  (words: Words, kernel: Kernel): void => {
    for (let agent = first; agent <= last; agent++) putToSleep(words, kernel, agent, asElement(draw(kernel, agent)));
  };

/** The word that an agent writes before it signals. */
export const messageOf = (agent: number): number => TREASURE + 4 * agent;
/** The ledger entry for signals that this agent has not learned of. */
export const entryOf = ({ ctx }: ShadowUser): EntryAddress => entryAt(ctx.index, 0);
/** Whether a signal is kept. */
export const isKept = (words: Words): boolean => words.load32(EVENT + OFFICE) === 1;
/** Whether that agent consumed a signal, even if it died in that step. */
export const took = (words: Words, agent: number): boolean => words.load32(holdsAt(agent)) !== 0;
