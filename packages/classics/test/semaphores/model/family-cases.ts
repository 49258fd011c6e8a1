// Cases that each semaphore of the family must pass.

import type { Options, Words } from '@sluice/model';
import { OWN_CHAIN } from '../../../../core/src/kernel/layout.ts';
import { semaphoreAddress } from '../../../../core/test/model/places.ts';
import type { Case, Model } from '../../../../core/test/model/case.ts';
import type { Setup } from '../../../../core/test/model/world.ts';
import { recover, type Plan, type Someone } from '../../../../core/test/model/condition-world.ts';
import {
  FLAG_ARRAY,
  FLAG_CHAINED,
  FLAG_CONSERVATIVE,
  FLAG_GLOBAL,
  FLAG_MONITORED,
  FLAG_PLACED,
  FLAG_TOKENS,
  HASH_LINEAR,
  HASH_MIXED,
  HASH_PAIRS,
  HASH_SHIFT,
  NEAR_TICKETS,
  SLOT_HOLDS_WAITER,
} from '../../../src/semaphores/kernel/layout.ts';
import type * as Entry from './entry.ts';
import { MemberWorld } from './member-world.ts';
import { FAMILY_MUTANTS } from './mutants.ts';

export type FamilyCore = typeof Entry;
type Agent = Someone<FamilyCore>;
type Body = (agent: Agent) => unknown;

/** The part of a semaphore that models use. */
interface Permits {
  acquire(permits?: number): void;
  tryAcquire(permits?: number, timeoutMs?: number): boolean;
  release(permits?: number): void;
  close(): void;
}

interface Member {
  readonly name:
    | 'TicketSemaphore'
    | 'WaitingArraySemaphore'
    | 'ChainSemaphore'
    | 'MonitorSemaphore'
    | 'LocationSemaphore'
    | 'AddressSemaphore';
  readonly flag: number;
}

const MEMBERS: readonly Member[] = [
  { name: 'TicketSemaphore', flag: FLAG_GLOBAL },
  { name: 'WaitingArraySemaphore', flag: FLAG_ARRAY },
  { name: 'ChainSemaphore', flag: FLAG_CHAINED },
  { name: 'MonitorSemaphore', flag: FLAG_MONITORED },
  { name: 'LocationSemaphore', flag: FLAG_PLACED },
  { name: 'AddressSemaphore', flag: FLAG_TOKENS },
];

/** Beside the FLAG_* of the member. */
interface Variant {
  readonly hash?: number;
  /** SLOT_HOLDS_WAITER, or 0. */
  readonly slots?: number;
  readonly more?: number;
}

const SLOTS: Variant = { slots: SLOT_HOLDS_WAITER };
const ALL: Options = {};
const TWO: Options = { preemptions: 2 };
const ONE: Options = { preemptions: 1 };
const NONE: Options = { preemptions: 0 };

export function familyCases(core: FamilyCore): Case[] {
  return MEMBERS.flatMap((member) => casesOf(core, member));
}

function casesOf(core: FamilyCore, { name, flag }: Member): Case[] {
  const sem = ({ core: { [name]: Class }, ref }: Agent): Permits => {
    const policy = { longTermThreshold: 1, spinMicros: 0, buckets: 1 };
    return Reflect.construct(Class, [{ ref, policy }]) as Permits;
  };
  const pass =
    (permits = 1): Body =>
    (agent) => {
      const own = sem(agent);
      own.acquire(permits);
      own.release(permits);
    };
  const tryPass =
    (permits = 1): Body =>
    (agent) => {
      const own = sem(agent);
      if (own.tryAcquire(permits, 1)) own.release(permits);
    };
  const take =
    (permits = 1): Body =>
    (agent) =>
      sem(agent).acquire(permits);
  const give =
    (permits = 1): Body =>
    (agent) =>
      sem(agent).release(permits);
  const close: Body = (agent) => sem(agent).close();
  const giveAndClose: Body = (agent) => {
    give()(agent);
    close(agent);
  };
  /** Treats ClosedError as a normal outcome. */
  const orClosed =
    (body: Body): Body =>
    (agent) => {
      try {
        return body(agent);
      } catch (error) {
        if (agent.core.hasCode(error, 'SLUICE_CLOSED')) return 'closed';
        throw error;
      }
    };
  const recovering =
    (...victims: readonly number[]): Body =>
    (agent) =>
      recover(agent, ...victims);
  const closeAfter: Body = (agent) => {
    recover(agent, 0);
    close(agent);
  };

  const make = (
    what: string,
    setup: Setup,
    plan: Omit<Plan<FamilyCore>, 'name'>,
    ends: number | null = setup.permits[0] ?? 0,
    { hash = HASH_LINEAR, slots = 0, more = 0 }: Variant = {},
  ): Case => {
    const world = new MemberWorld(core, { elements: 2 * setup.agents, ...setup }, flag | more);
    const lingering = flag === FLAG_PLACED ? setup.agents : 0;
    const built = world.case({
      ...plan,
      name: `${name}: ${what}`,
      invariant: (words) => world.checkHeld(words),
      final: (words, outcomes) =>
        (ends === null ? undefined : ended(world, words, ends)) ??
        strays(words) ??
        world.checkElements(words, lingering) ??
        plan.final?.(words, outcomes),
    });
    const layOut = (words: Words): void => {
      world.layOut(words);
      if (flag === FLAG_ARRAY) words.put32(semaphoreAddress(0) + NEAR_TICKETS, (hash << HASH_SHIFT) | slots | 1);
    };
    return { ...built, scenario: { ...built.scenario, setup: layOut } };
  };
  const one: Setup = { permits: [1], agents: 2 };
  const two: Setup = { permits: [2], agents: 2 };
  const three: Setup = { permits: [1], agents: 3 };
  const fair = flag !== FLAG_TOKENS;
  const hashes =
    flag !== FLAG_ARRAY
      ? []
      : [
          make('hash pairs', { ...one, buckets: 2 }, { bodies: [pass(), pass()], options: ALL }, 1, {
            hash: HASH_PAIRS,
          }),
          make('hash mixed', { ...one, buckets: 4 }, { bodies: [pass(), pass()], options: ALL }, 1, {
            hash: HASH_MIXED,
          }),
          make(
            'a release of more permits than buckets, in pairs',
            { permits: [0], agents: 2, most: 3, buckets: 2 },
            { bodies: [take(3), give(3)], options: ALL },
            0,
            { hash: HASH_PAIRS, ...SLOTS },
          ),
          make('slots of one waiter', one, { bodies: [pass(), pass()], options: ALL }, 1, SLOTS),
          make('slots of one waiter, a wait times out', one, { bodies: [pass(), tryPass()], options: ALL }, 1, SLOTS),
          make(
            'slots of one waiter, three agents',
            three,
            { bodies: [pass(), pass(), pass()], options: ONE },
            1,
            SLOTS,
          ),
          make(
            'slots of one waiter, death of one of two agents',
            { ...one, agents: 3 },
            { bodies: [pass(), pass(), recovering(0)], mayCrash: [0], options: ONE },
            1,
            SLOTS,
          ),
          make(
            'the second of three waiters in pairs cancels',
            { permits: [0], agents: 4, most: 2, buckets: 2 },
            { bodies: [take(), tryPass(), take(), twice(give())], options: NONE },
            0,
            { hash: HASH_PAIRS },
          ),
        ];
  const blind =
    flag !== FLAG_ARRAY && flag !== FLAG_PLACED
      ? []
      : [
          make('conservative posts', { ...one, buckets: 2 }, { bodies: [pass(), pass()], options: ALL }, 1, {
            more: FLAG_CONSERVATIVE,
          }),
          make(
            'conservative posts, and the second of three waiters cancels',
            { permits: [0], agents: 4, most: 2, buckets: 2 },
            { bodies: [take(), tryPass(), take(), twice(give())], options: NONE },
            0,
            { more: FLAG_CONSERVATIVE },
          ),
        ];
  return [
    ...hashes,
    ...blind,
    make('one permit, two agents', one, { bodies: [pass(), pass()], options: ALL }),
    make('one of two agents may time out', one, { bodies: [pass(), tryPass()], options: ALL }),
    make('both agents may time out', one, { bodies: [tryPass(), tryPass()], options: ALL }),
    make('one agent acquires twice', one, { bodies: [twice(pass()), pass()], options: fair ? TWO : ALL }),
    make(
      'another agent releases one permit',
      { permits: [0], agents: 2, most: 1 },
      { bodies: [take(), give()], options: ALL },
      0,
    ),
    make('one agent wants both permits', two, { bodies: [pass(2), pass()], options: ALL }),
    make(
      'close() races a waiter',
      { permits: [0], agents: 2, most: 1 },
      { bodies: [orClosed(take()), close], options: ALL, final: closed(0) },
      null,
    ),
    make(
      'a release and close() race a waiter',
      { permits: [0], agents: 2, most: 1 },
      { bodies: [orClosed(take()), giveAndClose], options: ALL },
      null,
    ),
    make(
      'close() races a waiter that may time out',
      { permits: [0], agents: 2 },
      { bodies: [orClosed(tryPass()), close], options: ALL },
      null,
    ),
    make(
      'the second of three waiters cancels',
      { permits: [0], agents: 4, most: 2 },
      { bodies: [take(), tryPass(), take(), twice(give())], options: NONE },
      0,
    ),
    make(
      'the first waiter, which wants several permits, cancels',
      { permits: [0], agents: 3, most: 2 },
      { bodies: [tryPass(2), take(), give()], options: ONE },
      0,
    ),
    make(
      'two waiters cancel without a release',
      { permits: [0], agents: 3, most: 1 },
      { bodies: [take(), tryPass(), tryPass()], options: NONE, stuck: strays },
      null,
    ),
    make('two buckets', { ...one, buckets: 2 }, { bodies: [pass(), pass()], options: ALL }),
    make('three agents', three, {
      bodies: [pass(), pass(), pass()],
      options: flag === FLAG_CHAINED || !fair ? TWO : ONE,
    }),
    make('three agents, all of which may time out', three, {
      bodies: [tryPass(), tryPass(), tryPass()],
      options: fair ? ONE : TWO,
    }),
    make('mixed weights', { ...three, permits: [2] }, { bodies: [pass(2), tryPass(2), pass()], options: ONE }),
    fair
      ? make(
          'one agent wants several permits, another single ones',
          { permits: [0], agents: 3, most: 3 },
          { bodies: [take(2), take(), twice(give())], options: ONE, stuck: atMostOne },
          null,
        )
      : make(
          'one agent wants more permits than there are',
          { permits: [0], agents: 3, most: 3 },
          { bodies: [take(2), take(), give()], options: TWO, stuck: theOther },
          null,
        ),
    make(
      'death of one of two agents',
      { ...one, agents: 3 },
      { bodies: [pass(), pass(), recovering(0)], mayCrash: [0], options: ONE },
    ),
    make(
      'death of one of three agents that may time out',
      { ...three, agents: 4 },
      { bodies: [tryPass(), pass(), pass(), recovering(0)], mayCrash: [0], options: NONE },
    ),
    make(
      'death of an agent that closes',
      { permits: [0], agents: 3 },
      { bodies: [close, orClosed(take()), closeAfter], mayCrash: [0], options: ONE, final: closed(1) },
      null,
    ),
  ];
}

function twice(body: Body): Body {
  return (agent) => {
    body(agent);
    body(agent);
  };
}

const closed =
  (agent: number) =>
  (_: Words, outcomes: readonly unknown[]): string | undefined =>
    outcomes[agent] === 'closed' ? undefined : 'a waiter did not learn that the semaphore is closed';

/** Two permits, one agent that wants two and one that wants one. Not both can be served, but one must be. */
function atMostOne(_: Words, outcomes: readonly unknown[]): string | undefined {
  const stuck = outcomes.slice(0, 2).filter((outcome) => typeof outcome === 'symbol').length;
  return stuck <= 1 ? undefined : 'no waiter got the free permit';
}

/** One permit, and one waiter for one permit. */
function theOther(_: Words, outcomes: readonly unknown[]): string | undefined {
  return typeof outcomes[1] === 'symbol' ? 'a permit is free, but a waiter for one sleeps' : undefined;
}

function ended({ core }: MemberWorld, words: Words, permits: number): string | undefined {
  const free = core.referenceKernel(words).balance(semaphoreAddress(0));
  return free === permits ? undefined : `${free} permits are free at the end, expected ${permits}`;
}

/** Checks that no cancelled ticket is left. */
function strays(words: Words): string | undefined {
  return words.load32(semaphoreAddress(0) + OWN_CHAIN) === 0 ? undefined : 'a cancelled ticket is left';
}

export const MODELS: readonly Model[] = [
  { name: 'family', entry: new URL('entry.ts', import.meta.url), cases: familyCases, mutants: FAMILY_MUTANTS },
];
