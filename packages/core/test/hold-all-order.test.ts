// Explores every interleaving of agents that each acquire the locks of a plan one after the other, wait in FIFO lines,
// and then release all. With the plans of `planOf` every agent finishes, whatever locks it names. With each mutant of
// the plan some agents wait for each other.

import { describe, expect, test } from 'vitest';
import { LOCK_POSITION, type Position } from '../src/locks/lock-position.ts';
import { planOf, type PlacedLock } from '../src/locks/hold-order.ts';

/** A resource with units. A mutex has one; the writer of a read-write lock takes all. */
interface Resource {
  readonly name: string;
  readonly units: number;
  readonly at: Pick<Position, 'arena' | 'address' | 'key'>;
}

/** A lock that only says what it takes. */
class Demand implements PlacedLock {
  readonly resource: Resource;
  readonly units: number;
  readonly #more: Partial<Position>;

  constructor(resource: Resource, units = 1, more: Partial<Position> = {}) {
    this.resource = resource;
    this.units = units;
    this.#more = more;
  }

  /** A number of permits. */
  static permits(resource: Resource, permits: number): Demand {
    return new Demand(resource, permits, {
      permits,
      withPermits: (others) => Demand.permits(resource, others),
    });
  }

  get [LOCK_POSITION](): Position {
    return { ...this.resource.at, ...this.#more };
  }

  lock(): void {
    throw new Error('Not called.');
  }

  tryLock(): boolean {
    throw new Error('Not called.');
  }

  lockAsync(): Promise<void> {
    throw new Error('Not called.');
  }

  unlock(): void {
    throw new Error('Not called.');
  }
}

const MUTEX: Resource = { name: 'mutex', units: 1, at: { arena: 'b', address: 256 } };
const KEY_X: Resource = { name: 'key x', units: 1, at: { arena: 'b', address: 384, key: 'x' } };
const KEY_Y: Resource = { name: 'key y', units: 1, at: { arena: 'b', address: 384, key: 'y' } };
const SLOTS: Resource = { name: 'slots', units: 2, at: { arena: 'a', address: 512 } };
/** As many units as agents: each reader takes one. */
const TABLE: Resource = { name: 'table', units: 3, at: { arena: 'a', address: 256 } };

const LOCKS: readonly Demand[] = [
  new Demand(MUTEX),
  new Demand(KEY_X),
  new Demand(KEY_Y),
  Demand.permits(SLOTS, 1),
  Demand.permits(SLOTS, 1),
  new Demand(TABLE, 1, { side: 0 }),
  new Demand(TABLE, 3, { side: 2 }),
];

type Plan = (locks: readonly Demand[]) => readonly Demand[];

const plan: Plan = (locks) => planOf('test', locks) as readonly Demand[];

interface State {
  /** By agent: the index of the lock that it acquires next, or DONE. */
  readonly next: readonly number[];
  /** By resource: the agents in line, the first one first. */
  readonly lines: Readonly<Record<string, readonly number[]>>;
}

/** The free units of a resource. */
function free(plans: readonly (readonly Demand[])[], { next }: State, { name, units }: Resource): number {
  return plans.reduce((left, demands, agent) => {
    // An agent that has ended holds nothing.
    const held = demands.slice(0, Math.max(0, next[agent] ?? 0)).filter(({ resource }) => resource.name === name);
    return held.reduce((rest, demand) => rest - demand.units, left);
  }, units);
}

/** Serves the lines from their heads, as far as units are free. */
function serve(plans: readonly (readonly Demand[])[], state: State): State {
  for (const [name, line] of Object.entries(state.lines)) {
    const [agent] = line;
    if (agent === undefined) continue;
    const demand = plans[agent]?.[state.next[agent] ?? 0] as Demand;
    if (free(plans, state, demand.resource) < demand.units) continue;
    return serve(plans, {
      next: state.next.map((index, other) => (other === agent ? index + 1 : index)),
      lines: { ...state.lines, [name]: line.slice(1) },
    });
  }
  return state;
}

const DONE = -1;

/** The states after each possible step of one agent. */
function* steps(plans: readonly (readonly Demand[])[], state: State): Generator<State> {
  const waiting = new Set(Object.values(state.lines).flat());
  for (const [agent, demands] of plans.entries()) {
    const index = state.next[agent] as number;
    if (index === DONE || waiting.has(agent)) continue;
    const demand = demands[index];
    if (demand === undefined) {
      // It holds everything: it releases all.
      yield serve(plans, { ...state, next: state.next.map((at, other) => (other === agent ? DONE : at)) });
      continue;
    }
    const { name } = demand.resource;
    yield serve(plans, { ...state, lines: { ...state.lines, [name]: [...(state.lines[name] ?? []), agent] } });
  }
}

/** Returns whether the agents can get stuck. */
function getsStuck(plans: readonly (readonly Demand[])[]): boolean {
  const seen = new Set<string>();
  const open: State[] = [{ next: plans.map(() => 0), lines: {} }];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const key = JSON.stringify(state);
    if (seen.has(key)) continue;
    seen.add(key);
    const after = [...steps(plans, state)];
    if (after.length === 0 && state.next.some((index) => index !== DONE)) return true;
    open.push(...after);
  }
  return false;
}

/** Returns the lists of at most `most` of the locks, with repetitions, in every order. No list asks for more than there is. */
function lists(locks: readonly Demand[], most: number): (readonly Demand[])[] {
  return sequences(locks, most).filter(
    (list) => list.filter(({ resource }) => resource === SLOTS).length <= SLOTS.units,
  );
}

function sequences(locks: readonly Demand[], most: number): (readonly Demand[])[] {
  if (most === 0) return [[]];
  const shorter = sequences(locks, most - 1);
  const longest = shorter.filter((list) => list.length === most - 1);
  return [...shorter, ...longest.flatMap((list) => locks.map((lock) => [...list, lock]))];
}

/** Returns the programs of that many agents: a list for each. Agents are alike, so their order does not matter. */
function* programs(all: readonly (readonly Demand[])[], agents: number, from = 0): Generator<(readonly Demand[])[]> {
  if (agents === 0) {
    yield [];
    return;
  }
  for (let index = from; index < all.length; index++) {
    for (const others of programs(all, agents - 1, index)) yield [all[index] as readonly Demand[], ...others];
  }
}

const textOf = (demands: readonly Demand[]): string =>
  demands.map(({ resource, units }) => `${resource.name} ${units}`).join();

/** Returns the first programs that get stuck. Lists with the same plan are alike, so each plan is explored once. */
function stuckPrograms(by: Plan, all: readonly (readonly Demand[])[], agents: number): string[] {
  const plans = [...new Map(all.map(by).map((demands) => [textOf(demands), demands])).values()];
  const stuck: string[] = [];
  for (const program of programs(plans, agents)) {
    if (!getsStuck(program)) continue;
    stuck.push(program.map(textOf).join(' | '));
    if (stuck.length === 3) break;
  }
  return stuck;
}

describe('the plan', () => {
  test('the plan of two agents with up to three of seven locks each lets both finish', () => {
    expect(stuckPrograms(plan, lists(LOCKS, 3), 2)).toEqual([]);
  });

  test('the plan of three agents with up to two of five locks each lets all finish', () => {
    expect(stuckPrograms(plan, lists(LOCKS.slice(2), 2), 3)).toEqual([]);
  });

  test('is the same for every order of the arguments', () => {
    for (const list of lists(LOCKS, 3)) {
      const forward = plan(list).map(({ resource, units }) => [resource.name, units]);
      expect(plan(list.toReversed()).map(({ resource, units }) => [resource.name, units])).toEqual(forward);
    }
  });

  test('contains what a brute-force search through the arguments finds', () => {
    for (const list of lists(LOCKS, 3)) {
      const expected = [TABLE, SLOTS, MUTEX, KEY_X, KEY_Y].flatMap((resource) => {
        const demands = [...new Set(list)].filter((demand) => demand.resource === resource).map(({ units }) => units);
        if (demands.length === 0) return [];
        const isSum = resource === SLOTS;
        return [[resource.name, isSum ? demands.reduce((sum, units) => sum + units) : Math.max(...demands)]];
      });
      expect(plan(list).map(({ resource, units }) => [resource.name, units])).toEqual(expected);
    }
  });
});

/** Wrong plans. Each loses one part of `planOf`. */
const MUTANTS: readonly (readonly [name: string, plan: Plan])[] = [
  [
    'keeps the order of the arguments',
    (locks) => [...new Set(plan(locks))].sort((a, b) => indexIn(locks, a) - indexIn(locks, b)),
  ],
  ['sorts without the arena', bySort(({ address, key = '' }) => `${address} ${key}`)],
  ['sorts without the address', bySort(({ arena, key = '' }) => `${arena} ${key}`)],
  ['sorts without the key', bySort(({ arena, address }) => `${arena} ${address}`)],
  ['acquires permits of one semaphore one by one', (locks) => plan(locks).flatMap(one)],
  [
    'acquires a lock twice',
    (locks) => plan(locks).flatMap(({ resource }) => locks.filter((lock) => lock.resource === resource)),
  ],
];

function indexIn(locks: readonly Demand[], { resource }: Demand): number {
  return locks.findIndex((lock) => lock.resource === resource);
}

/** A plan that merges rightly and sorts by a part of the position; equal parts stay in the order of the arguments. */
function bySort(part: (position: Position) => string): Plan {
  return (locks) =>
    [...plan(locks)]
      .sort((a, b) => indexIn(locks, a) - indexIn(locks, b))
      .sort((a, b) =>
        part(a[LOCK_POSITION]) < part(b[LOCK_POSITION]) ? -1 : part(a[LOCK_POSITION]) > part(b[LOCK_POSITION]) ? 1 : 0,
      );
}

function one(demand: Demand): readonly Demand[] {
  if (demand.resource !== SLOTS) return [demand];
  return Array.from({ length: demand.units }, () => Demand.permits(SLOTS, 1));
}

/** Locks of which two differ in one part of the position only. */
const ALIKE: readonly Demand[] = [
  new Demand(MUTEX),
  new Demand(KEY_X),
  new Demand(KEY_Y),
  Demand.permits(SLOTS, 1),
  Demand.permits(SLOTS, 1),
  new Demand({ name: 'second mutex', units: 1, at: { arena: 'b', address: 640 } }),
  new Demand({ name: 'key x of another arena', units: 1, at: { arena: 'a', address: 384, key: 'x' } }),
];

test.each(MUTANTS)('a plan that %s gets agents stuck', (_name, mutant) => {
  expect(stuckPrograms(mutant, lists(ALIKE, 2), 2)).not.toEqual([]);
});

test.each([['planOf itself', plan]] as const)('%s does not, with the same locks', (_name, itself) => {
  expect(stuckPrograms(itself, lists(ALIKE, 2), 2)).toEqual([]);
});
