// Tests of defects of earlier versions.

import { Arena } from '@sluice/core';
import { BLOCK_LINE } from '@sluice/core/format';
import { contextOf } from '@sluice/core/internal';
import { expect, onTestFinished, test, vi } from 'vitest';
import { blockOf, isLine } from '../../../core/src/memory/blocks.ts';
import {
  AddressSemaphore,
  ChainSemaphore,
  LightweightSemaphore,
  MonitorSemaphore,
  MultilaneSemaphore,
  WaitingArraySemaphore,
} from '../../src/index.ts';
import { MEMBERS } from './support/members.ts';

const MOST = 2 ** 31 - 1;

/**
 * Returns whether a wait that was not granted spun before it slept. Each reading of the clock advances it, so the wait
 * begins however slow the thread is.
 */
function spins(arena: Arena, wait: () => boolean): boolean {
  const { parking, spins: budget } = contextOf(arena);
  let time = 0;
  const clock = vi.spyOn(parking, 'now').mockImplementation(() => (time += 0.1));
  onTestFinished(() => clock.mockRestore());
  expect(wait()).toBe(false);
  return !budget.pays;
}

test.each(MEMBERS.map((Member) => [Member.name, Member] as const).filter(([name]) => name !== 'MultilaneSemaphore'))(
  '%s: drain() takes all permits, even more than one release can give',
  (_, Member) => {
    const sem = Member.create(MOST, { arena: Arena.create({ maxPages: 16 }) });
    sem.release(MOST);
    sem.release(3);
    expect([sem.available, sem.drain(), sem.available]).toEqual([2 * MOST + 3, 2 * MOST + 3, 0]);
  },
);

test.each([
  [0, 0, false],
  [1, 0, true],
  [1, 1, false],
  [2, 1, true],
])(
  'a waiting array semaphore with a threshold of %i and %i waiters in front: whether a waiter spins is %s',
  async (longTermThreshold, others, does) => {
    const arena = Arena.create({ maxPages: 16 });
    const sem = WaitingArraySemaphore.create(0, { arena, longTermThreshold });
    const waits = Array.from({ length: others }, () => sem.acquireAsync());
    expect(spins(arena, () => sem.tryAcquire(1, 1))).toBe(does);
    sem.release(others + 1);
    await Promise.all(waits);
  },
);

test.each(
  [AddressSemaphore, ChainSemaphore, MonitorSemaphore, LightweightSemaphore].map(
    (Member) => [Member.name, Member] as const,
  ),
)('%s: no waiter spins if the policy parks at once', (_, Member) => {
  const arena = Arena.create({ maxPages: 16 });
  const waits = (longTermThreshold: number): boolean =>
    spins(arena, () => Member.create(0, { arena, policy: { longTermThreshold } }).tryAcquire(1, 1));
  expect([waits(0), waits(1)]).toEqual([false, true]);
});

test.each([63, 64, 127])('the recovery handles lane %i of a multilane semaphore', (lane) => {
  const arena = Arena.create({ maxPages: 16 });
  const { words } = contextOf(arena);
  const { address } = MultilaneSemaphore.create(0, { arena, lanes: 128 }).handle;
  const line = address + (1 + lane) * BLOCK_LINE;
  expect([isLine(words, line), blockOf(words, line)]).toEqual([true, address]);
});
