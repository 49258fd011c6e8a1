// Tests `holdAll` with locks of several packages: random tasks over all kinds of locks, compared with plain counters.

import { describe, expect, test } from 'vitest';
import { CapacitorLock } from '../../../packages/capacitor/src/index.ts';
import { TicketLock } from '../../../packages/classics/src/index.ts';
import {
  Arena,
  holdAll,
  holdAllAsync,
  runAll,
  runAllAsync,
  Semaphore,
  tryHoldAll,
  type PlacedLock,
} from '../../../packages/core/src/index.ts';
import { openAs, secondAgent } from '../../../packages/core/test/support/second-agent.ts';
import { Mutex, RecursiveMutex } from '../../../packages/mutex/src/index.ts';
import { KeyedMutex } from '../../../packages/named/src/index.ts';
import { RwLock } from '../../../packages/rw-lock/src/index.ts';
import { ResizableSemaphore } from '../../../packages/semaphores/src/index.ts';
import { type Random, Session, shortOf } from '../../harness/src/index.ts';
import { rejection, turn } from '../../conformance/src/observe.ts';

const arena = Arena.create({ maxPages: 64 });
const options = { arena };

test('the strongest of several sides of one read-write lock counts', () => {
  const table = RwLock.create({ ...options, upgradeable: true });
  const { reader, writer, upgradeable } = table;
  const cases: readonly (readonly [sides: readonly PlacedLock[], state: unknown])[] = [
    [[reader], { reads: 1, upgrades: false, writes: false }],
    [[reader, reader], { reads: 1, upgrades: false, writes: false }],
    [[upgradeable, reader], { reads: 1, upgrades: true, writes: false }],
    [[reader, writer, upgradeable], { reads: 0, upgrades: false, writes: true }],
  ];
  for (const [sides, state] of cases) {
    const guard = holdAll(sides);
    expect({ reads: reader.held, upgrades: upgradeable.held, writes: writer.owned }).toEqual(state);
    guard.release();
    expect([reader.held, upgradeable.held, writer.owned]).toEqual([0, false, false]);
  }
});

test('keys of a keyed mutex are acquired in one order, and a key that is given twice once', async () => {
  const accounts = KeyedMutex.create(options);
  const guard = holdAll([accounts.at('bob'), accounts.at('alice'), accounts.at('bob')]);
  expect(['alice', 'bob', 'carol'].map((key) => accounts.owns(key))).toEqual([true, true, false]);
  expect(tryHoldAll([accounts.at('carol'), accounts.at('alice')])).toBeNull();
  expect(accounts.owns('carol')).toBe(false);
  guard.release();
  await runAllAsync([accounts.at('x'), accounts.at('y')], () => expect(accounts.owns('y')).toBe(true));
  expect(accounts.inspect().keys).toEqual([]);
  accounts.free();
});

test('a recursive mutex that the caller already owns is locked once more, and stays owned', () => {
  const tree = RecursiveMutex.create(options);
  const other = Mutex.create(options);
  tree.lock();
  runAll([tree, other], () => expect(tree.inspect().depth).toBe(2));
  expect([tree.inspect().depth, other.owned]).toEqual([1, false]);
  tree.unlock();
});

test('a mutex that the caller already owns is a MisuseError, and no other lock is held', () => {
  const [one, two] = [Mutex.create(options), Mutex.create(options)];
  two.lock();
  expect(() => holdAll([two, one])).toThrow('already');
  expect([one.owned, two.owned]).toEqual([false, true]);
  two.unlock();
});

test('every agent has the same order', () => {
  const other = secondAgent(arena);
  const ours = [Mutex.create(options), TicketLock.create(options), Mutex.create(options)] as const;
  const theirs = [
    openAs(other, ours[0].handle, (handle) => Mutex.from(handle)),
    openAs(other, ours[1].handle, (handle) => TicketLock.from(handle)),
    openAs(other, ours[2].handle, (handle) => Mutex.from(handle)),
  ];
  const guard = holdAll(ours);
  expect(tryHoldAll(theirs.toReversed())).toBeNull();
  guard.release();
  const rival = tryHoldAll(theirs.toReversed());
  expect([rival?.held, tryHoldAll(ours)]).toEqual([true, null]);
  rival?.release();
});

describe('elements without a position', () => {
  const inner = Mutex.create({ ...options, name: 'inner' });
  const table = RwLock.create({ ...options, name: 'table' });
  const keyed = KeyedMutex.create({ ...options, name: 'accounts' });
  test.each([
    ['a read-write lock', table, "is RwLock 'table': pass one of its sides, lock.reader or lock.writer"],
    ['a keyed mutex', keyed, "is KeyedMutex 'accounts': pass the lock of a key, keyed.at(key)"],
    [
      'a semaphore of @sluice/semaphores',
      ResizableSemaphore.create(1, { ...options, name: 'slots' }),
      "is ResizableSemaphore 'slots': pass its permits as a lock",
    ],
    [
      'a capacitor lock',
      CapacitorLock.create(inner, { ...options, name: 'hot' }),
      "is CapacitorLock 'hot', which has no position",
    ],
  ] as const)('holdAllAsync() refuses %s', async (_what, wrong, says) => {
    const lock = Mutex.create(options);
    const failure = await rejection(holdAllAsync([lock, wrong as unknown as PlacedLock]));
    expect(String(failure)).toContain(`TypeError: holdAllAsync: element 1 ${says}`);
    expect(lock.owned).toBe(false);
  });
});

/** The plain counters: how often each lock is held, and how often it may be. */
interface Kind {
  readonly name: string;
  readonly lock: PlacedLock;
  /** The units that the lock takes of `resource`. */
  readonly units: number;
  readonly resource: string;
  readonly capacity: number;
}

function kinds(): readonly Kind[] {
  const table = RwLock.create(options);
  const accounts = KeyedMutex.create(options);
  const slots = Semaphore.create(3, options);
  const sized = ResizableSemaphore.create(2, options);
  const alone = (name: string, lock: PlacedLock): Kind => ({ name, lock, units: 1, resource: name, capacity: 1 });
  const readers = 1000;
  return [
    alone('mutex', Mutex.create(options)),
    alone('mutex in order', Mutex.create({ ...options, order: 'fifo' })),
    alone('ticket lock', TicketLock.create(options)),
    alone('alice', accounts.at('alice')),
    alone('bob', accounts.at('bob')),
    { name: 'one slot', lock: slots.asLock(), units: 1, resource: 'permits', capacity: 3 },
    { name: 'two slots', lock: slots.asLock(2), units: 2, resource: 'permits', capacity: 3 },
    { name: 'sized', lock: sized.asLock(2), units: 2, resource: 'sized permits', capacity: 2 },
    { name: 'reader', lock: table.reader, units: 1, resource: 'table', capacity: readers },
    { name: 'writer', lock: table.writer, units: readers, resource: 'table', capacity: readers },
  ];
}

/** Returns the units that a call with these locks takes, found one by one. */
function demandOf(chosen: readonly Kind[]): ReadonlyMap<string, number> {
  const demand = new Map<string, number>();
  for (const { resource, units } of new Set(chosen)) {
    const before = demand.get(resource) ?? 0;
    demand.set(resource, resource.endsWith('permits') ? before + units : Math.max(before, units));
  }
  return demand;
}

/** Up to four locks, with no more permits than there are. */
function choose(random: Random, all: readonly Kind[]): readonly Kind[] {
  for (;;) {
    const chosen = Array.from({ length: random.between(1, 4) }, () => random.pick(all));
    const capacities = new Map(chosen.map(({ resource, capacity }) => [resource, capacity]));
    if ([...demandOf(chosen)].every(([resource, units]) => units <= (capacities.get(resource) ?? 0))) return chosen;
  }
}

test('random tasks over all kinds of locks all end, and never hold more than there is', async () => {
  const session = new Session('random calls of holdAll');
  const { random } = session;
  const all = kinds();
  const held = new Map<string, number>();
  const change = (demand: ReadonlyMap<string, number>, sign: 1 | -1): void => {
    for (const [resource, units] of demand) {
      const now = (held.get(resource) ?? 0) + sign * units;
      const { capacity } = all.find((kind) => kind.resource === resource) as Kind;
      if (now < 0 || now > capacity) throw new Error(`${resource}: ${now} of ${capacity} held`);
      held.set(resource, now);
    }
  };
  const ended = { held: 0, late: 0, aborted: 0, refused: 0 };
  const task = async (source: Random, rounds: number): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      const chosen = choose(source, all);
      const demand = demandOf(chosen);
      const locks = chosen.map(({ lock }) => lock);
      const inside = async (): Promise<void> => {
        change(demand, 1);
        for (let turns = source.below(3); turns > 0; turns--) await turn();
        change(demand, -1);
        ended.held += 1;
      };
      const how = source.below(5);
      if (how === 0) {
        const guard = tryHoldAll(locks);
        if (guard === null) ended.refused += 1;
        else await inside().finally(() => guard.release());
      } else if (how === 1) {
        const controller = new AbortController();
        const call = runAllAsync(locks, inside, { signal: controller.signal });
        for (let turns = source.below(4); turns > 0; turns--) await turn();
        controller.abort('aborted');
        await call.catch((reason: unknown) => {
          if (reason !== 'aborted') throw reason;
          ended.aborted += 1;
        });
      } else if (how === 2) {
        await runAllAsync(locks, inside, { timeout: source.below(2) }).catch((reason: unknown) => {
          if ((reason as Error).name !== 'TimeoutError') throw reason;
          ended.late += 1;
        });
      } else {
        await runAllAsync(locks, inside);
      }
    }
  };
  const rounds = Math.ceil(shortOf(12_000) / 10);
  await Promise.all(Array.from({ length: 10 }, () => task(random.fork(), rounds)));
  for (const { lock, name } of all) {
    expect([name, lock.tryLock()]).toEqual([name, true]);
    lock.unlock();
  }
  expect([...held.values()].every((units) => units === 0)).toBe(true);
  // A thread's blocking waits have left no place in line.
  expect(arena.inspect().elements).toMatchObject({ waiting: 0 });
  session.done(rounds * 10, JSON.stringify(ended));
});
