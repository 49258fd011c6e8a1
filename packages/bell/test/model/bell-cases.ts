import { STUCK, type Options, type Words } from '@sluice/model';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import { asElement } from '../../../core/src/kernel/addresses.ts';
import { OFFICE } from '../../../core/src/kernel/layout.ts';
import { reclaim, sleepOn } from '../../../core/test/model/office-bodies.ts';
import { OfficeWorld, putToSleep, type Office, type ShadowUser } from '../../../core/test/model/office-world.ts';
import { agentAt, entryAt, semaphoreAddress, tagOf } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/semaphore-cases.ts';
import type { BellKernel } from '../../src/kinds.ts';
import type * as Entry from './entry.ts';

export type BellCore = typeof Entry;
interface Actor extends ShadowUser {
  readonly bell: Entry.Bell;
}
type Body = (actor: Actor) => unknown;
const LINE = semaphoreAddress(0);

const officeOf = ({ BELL }: BellCore): Office => ({
  kind: BELL.code,
  load: (context) => context.load(BELL).steps,
  flags: [0],
  rules: { gains: () => false, loses: () => false, releasesForDeadOwner: () => false },
  invariant: (words, agents) => {
    const waiters = words.get32(LINE + OFFICE);
    return waiters < 0 || waiters > agents ? `${waiters} waiters` : undefined;
  },
});

const ring: Body = ({ bell }) => bell.ring();
const tryWait: Body = ({ bell }) => bell.tryWait(1);
const sleep: Body = (actor) => sleepOn(actor, entryAt(actor.ctx.index, 0));

const asleep =
  (...agents: readonly number[]) =>
  (words: Words, kernel: Kernel): void => {
    for (const agent of agents) putToSleep(words, kernel, agent, asElement((kernel as BellKernel).enqueueAtBell(LINE, tagOf(0), agentAt(agent), 1)));
  };

const make = (core: BellCore, name: string, bodies: readonly Body[], options: Options, more: object = {}): Case =>
  new OfficeWorld<Actor>(core, officeOf(core), { agents: bodies.length }, (user) => ({ ...user, bell: core.bellAt(user.place, user.policy) })).case({
    name,
    bodies,
    options,
    ...more,
  });

export const bellCases = (core: BellCore): readonly Case[] => [
  make(core, 'one asleep, one ring', [sleep, ring], {}, { before: asleep(0) }),
  make(core, 'a timeout and a ring', [tryWait, ring], {}),
  make(core, 'a timeout before a sleeper, two rings', [tryWait, sleep, ring, ring], { preemptions: 1 }, { before: asleep(1) }),
  make(core, 'a waiter dies', [sleep, sleep, ring, reclaim(0)], { preemptions: 1 }, { before: asleep(0, 1), mayCrash: [0], stuck: (_words: Words, outcomes: readonly unknown[]) => (outcomes[0] === STUCK || outcomes[1] === STUCK ? undefined : 'stuck') }),
];
