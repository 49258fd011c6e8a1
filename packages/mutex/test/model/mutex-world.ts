// A mutex in a world, and the operations of agents at it.

import type { Context, Words } from '@sluice/model';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import { FLAG_OWNED, FLAG_TURNS, HEALTH, OFFICE, OWNERS_AT } from '../../../core/src/kernel/layout.ts';
import { ownerOf } from '../../../core/src/kernel/owner-word.ts';
import { HANDED } from '../../../core/src/kernel/states.ts';
import { ORPHANED } from '../../../core/src/kernel/states.ts';
import {
  OfficeWorld,
  putToSleep,
  type Loading,
  type Office,
  type OfficeSetup,
  type ShadowUser,
} from '../../../core/test/model/office-world.ts';
import { agentAt, holdsAt, insideAt, semaphoreAddress, tagOf } from '../../../core/test/model/places.ts';
import { HOLDS, type Rules } from '../../../core/test/model/witness.ts';
import type { Kind } from '../../../core/src/agent/kind.ts';
import type { MutexOrder } from '../../src/create-mutex.ts';
import { DEPTH } from '../../src/kernel/layout.ts';
import type { MutexKernel, MutexSteps } from '../../src/kinds.ts';
import type * as Entry from './entry.ts';
import { asElement } from '../../../core/src/kernel/addresses.ts';

export type MutexCore = typeof Entry;
export type MutexSetup = OfficeSetup & Loading & { readonly order?: MutexOrder };
export interface MutexActor extends ShadowUser {
  /** The context by which the model knows the agent, for its event loop. */
  readonly bare?: Context;
  readonly mutex: Entry.Mutex | Entry.RecursiveMutex;
  /** The same mutex with a policy that wakes the next waiter early. */
  readonly eager: () => Entry.Mutex | Entry.RecursiveMutex;
}
export type MutexBody = (actor: MutexActor) => unknown;

export const MUTEX = semaphoreAddress(0);
export const TAG = tagOf(0);
export const NOTICE = 1n << 32n;

export const titled = (name: string, order: MutexOrder): string => (order === 'fifo' ? name : `turns, ${name}`);

export const RULES: Rules = {
  gains: (step) => ['lockMutex', 'relockMutex', 'enqueueAtMutex', 'pollMutex', 'cancelMutexWait'].includes(step),
  loses: (step, _, words) =>
    ['unlockMutex', 'passMutexInOrder', 'handOverMutex'].includes(step) ||
    (step === 'unrelockMutex' && words.get32(MUTEX + DEPTH) === 0),
  releasesForDeadOwner: (step) => step === 'releaseMutexForDeadOwner',
};

/**
 * Checks that there is at most one owner, and that an agent that finds the mutex free is alone. `most` is the greatest
 * number of waiters: agents with async calls have several.
 */
export function invariant(words: Words, agents: number, most = agents): string | undefined {
  const all = [...Array(agents).keys()];
  if (all.filter((agent) => words.get32(insideAt(agent)) !== 0).length > 1) return 'two agents own the mutex';
  const office = words.get64(MUTEX + OFFICE);
  const owner = ownerOf(office);
  const other = all.find((agent) => words.get32(holdsAt(agent)) === HOLDS && owner !== agent + 1);
  if (other !== undefined) return `agent ${other} became the owner, and OFFICE names ${owner}`;
  if (owner !== HANDED && (owner < 0 || owner > agents)) return `the owner is ${owner}`;
  const waiters = Number(office >> 37n);
  if (waiters < 0 || waiters > most) return `${waiters} waiters are counted`;
  const [hasSuccessor, isAsleep, isDue] = [34n, 35n, 36n].map((bit) => ((office >> bit) & 1n) === 1n);
  if (hasSuccessor === true && owner === HANDED) return 'the mutex is on its way to a waiter, and has a successor';
  if (hasSuccessor !== true && (isAsleep === true || isDue === true))
    return 'there is no successor, and OFFICE says that it sleeps or that its turn is due';
  if (owner === 0 && isAsleep === true) return 'the mutex is free, and its successor sleeps';
  if (owner === 0 && isDue === true) return 'the mutex is free at the end of a turn';
  return owner === 0 && waiters > 0 && hasSuccessor !== true
    ? `the mutex is free, and ${waiters} agents wait`
    : undefined;
}

export const office = (kind: Kind<MutexSteps>, order: MutexOrder = 'fifo'): Office => ({
  kind: kind.code,
  load: (context) => context.load(kind).steps,
  flags: [(1 << OWNERS_AT) | FLAG_OWNED | (order === 'turns' ? FLAG_TURNS : 0)],
  rules: RULES,
  invariant,
  mayEndWith: (word, words) => word === NOTICE && words.load32(MUTEX + HEALTH) === ORPHANED,
});

type At = (ref: ShadowUser['ref'], policy: ShadowUser['policy']) => MutexActor['mutex'];

function worldOf(core: MutexCore, kind: Kind<MutexSteps>, at: At, setup: MutexSetup): OfficeWorld<MutexActor> {
  const { order, ...rest } = setup;
  const most = setup.async === true ? setup.elements : undefined;
  const plainOffice = office(kind, order);
  const both = { ...plainOffice, invariant: (words: Words, agents: number) => invariant(words, agents, most) };
  return new OfficeWorld(core, both, rest, (plain) => {
    const { ctx: bare, ref, policy } = plain;
    const turns: { readonly turn?: { readonly summary: readonly number[] } | undefined }[] = [];
    const open = (chosen = policy): MutexActor['mutex'] => {
      const mutex = at(ref, chosen);
      turns.push(mutex as unknown as (typeof turns)[number]);
      return mutex;
    };
    // An agent remembers its turn beyond the points at which its body forgets its state.
    const remembered = (): number[] => turns.flatMap(({ turn }) => turn?.summary ?? []);
    const ctx = Object.create(bare, {
      forget: { value: (...summary: number[]) => bare.forget(...summary, ...remembered()) },
    }) as typeof bare;
    const shadowUser = {
      ...plain,
      ctx,
      bare,
      timedChecks: order === 'turns' ? core.turnBehaviour(ref, kind).timedChecks : undefined,
    };
    const eager = (): MutexActor['mutex'] => open({ ...policy, spinMicros: 1 });
    if (setup.without?.includes(ctx.index) !== true) return { ...shadowUser, mutex: open(), eager };
    return {
      ...shadowUser,
      // A mutex loads its kind when it is created.
      get mutex() {
        return open();
      },
      eager,
    };
  });
}

export function mutexWorld(core: MutexCore, setup: MutexSetup): OfficeWorld<MutexActor> {
  return worldOf(core, core.MUTEX, core.mutexAt, setup);
}

export function recursiveWorld(core: MutexCore, setup: MutexSetup): OfficeWorld<MutexActor> {
  return worldOf(core, core.RECURSIVE_MUTEX, core.recursiveMutexAt, setup);
}

/** Lays out a world in which agent 0 owns the mutex and the next agents are in line, asleep. */
export const ownedWith =
  (waiters: number) =>
  (words: Words, plain: Kernel): void => {
    const kernel = plain as MutexKernel;
    kernel.lockMutex(MUTEX, TAG, 1);
    words.put32(holdsAt(0), HOLDS);
    for (let agent = 1; agent <= waiters; agent++)
      putToSleep(words, kernel, agent, asElement(kernel.enqueueAtMutex(MUTEX, TAG, agentAt(agent), 1, 0)));
  };
