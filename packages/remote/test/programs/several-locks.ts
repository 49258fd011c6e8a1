// Several locks of a space at once. The engines' tests run these programs.

import { hasCode } from '@sluice/core';
import type { RemoteGuards, Space } from '../../src/index.ts';
import { failureOf } from './failure-of.ts';

/** Five philosophers in two processes eat 20 times each. Returns how often they ate, and how often a fork had two owners. */
export async function philosophers(first: Space, second: Space): Promise<number[]> {
  const inUse = new Set<number>();
  let [ate, clashes] = [0, 0];
  const eat = async (space: Space, seat: number): Promise<void> => {
    const forks = space.keyedMutex('forks');
    const both = [seat, (seat + 1) % 5];
    for (let round = 0; round < 20; round++)
      await space.runAllAsync(
        both.map((fork) => forks.at(`fork ${fork}`)),
        async () => {
          for (const fork of both) {
            if (inUse.has(fork)) clashes++;
            inUse.add(fork);
          }
          await Promise.resolve();
          for (const fork of both) inUse.delete(fork);
          ate++;
        },
      );
  };
  await Promise.all([0, 1, 2, 3, 4].map((seat) => eat(seat % 2 === 0 ? first : second, seat)));
  return [ate, clashes];
}

export const PHILOSOPHERS = [100, 0];

/** Locks of each kind at once. Returns what other calls could take meanwhile, and afterwards. */
export async function severalKinds(space: Space, other: Space): Promise<unknown[]> {
  const kinds = (of: Space) => ({
    mutex: of.mutex('mutex'),
    slots: of.semaphore('slots', 5),
    table: of.rwLock('table'),
    key: of.keyedMutex('keys').at('a'),
  });
  const { mutex, slots, table, key } = kinds(space);
  const there = kinds(other);
  const guard: RemoteGuards = await space.holdAllAsync([
    key,
    slots.asLock(2),
    table.reader,
    mutex,
    slots.asLock(),
    table.writer,
    key,
  ]);
  const locks = [there.mutex, there.table.reader, there.key];
  const takes = async (): Promise<boolean[]> => {
    const all: boolean[] = [];
    for (const lock of locks) {
      const held = await other.tryHoldAll([lock]);
      all.push(held !== null);
      await held?.release();
    }
    return all;
  };
  const meanwhile = [await takes(), await there.slots.available, guard.held, guard.signal.aborted];
  const late = hasCode(
    await failureOf(other.holdAllAsync([there.slots.asLock(2), there.mutex], { timeout: 1 })),
    'SLUICE_TIMEOUT',
  );
  // What a call in vain took first is free again.
  const none = await other.tryHoldAll([there.slots.asLock(2), there.key]);
  const left = await there.slots.available;
  await guard.release();
  return [...meanwhile, late, none, left, await takes(), await there.slots.available, guard.held];
}

export const SEVERAL_KINDS = [[false, false, false], 2, true, false, true, null, 2, [true, true, true], 5, false];

/** What the calls refuse. */
export async function refusedLocks(space: Space, other: Space): Promise<unknown[]> {
  const slots = space.semaphore('few', 3);
  const failures = [
    await failureOf(space.holdAllAsync([other.mutex('a')])),
    await failureOf(space.holdAllAsync([slots as never])),
    await failureOf(space.holdAllAsync('locks' as never)),
    await failureOf(space.tryHoldAll([slots.asLock(2), slots.asLock(2)])),
    await failureOf(space.runAllAsync([slots.asLock()], () => Promise.reject(new Error('of the body')))),
  ];
  return [...failures.map(({ name, code }) => code ?? name), await slots.available];
}

export const REFUSED_LOCKS = ['SLUICE_MISUSE', 'TypeError', 'TypeError', 'RangeError', 'Error', 3];
