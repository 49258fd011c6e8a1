// Variants of waiting that the papers name: a delay in proportion to the distance, slots of one waiter.

import { Arena } from '@sluice/core';
import { asLine, CHAIN } from '@sluice/core/format';
import { mergePolicy } from '@sluice/core/calls';
import { contextOf } from '@sluice/core/internal';
import { expect, test, vi } from 'vitest';
import { TicketSemaphore, WaitingArraySemaphore } from '../../src/index.ts';
import { watchGrant } from '../../src/semaphores/ticket-semaphore.ts';
import { watchUpdates } from '../../src/semaphores/waiting-array-semaphore.ts';
import { kernelOf } from '../../src/semaphores/family-kernel.ts';
import './support/kinds.ts';

test('a waiter of Listing 1 that spins asks for its distance after each look that was too early', () => {
  const arena = Arena.create();
  const context = contextOf(arena);
  const { address } = TicketSemaphore.create(0, { arena }).handle;
  const policy = mergePolicy(arena.policy, { longTermThreshold: 4 });
  const distance = vi.fn(() => 3);
  let looks = 0;
  const look = (): boolean => (looks += 1) === 10;
  watchGrant({ context, policy, line: asLine(address) }, { look, key: 3, distance }, Infinity);
  // Once for `isNear`; then after each look of the spin but the last. The first look comes before the spin.
  expect([looks, distance.mock.calls.length]).toEqual([10, 1 + 8]);
});

test.each(['count', 'waiter'] as const)('slots: %s says where the first waiter of a bucket waits', (slots) => {
  const arena = Arena.create();
  const context = contextOf(arena);
  const { address } = WaitingArraySemaphore.create(0, { arena, slots }).handle;
  const sem = asLine(address);
  const bucket = kernelOf(context).slotOfTicket(sem, 0);
  const { parking, words } = context;
  const held: boolean[] = [];
  const wait = vi.spyOn(parking, 'wait').mockImplementation(() => {
    held.push(words.load32(bucket + CHAIN) !== 0);
    return 'timed-out';
  });
  const policy = mergePolicy(arena.policy, { spinMicros: 0 });
  watchUpdates(
    { context, policy, line: sem },
    { look: () => held.length > 0, key: 0, distance: () => 5 },
    parking.now() + 60_000,
  );
  wait.mockRestore();
  expect([held, words.load32(bucket + CHAIN)]).toEqual([[slots === 'waiter'], 0]);
});

test('slots of one waiter: a second waiter of the bucket watches the count of updates', async () => {
  const arena = Arena.create({ policy: { buckets: 1 } });
  const context = contextOf(arena);
  const sem = WaitingArraySemaphore.create(0, { arena, slots: 'waiter' });
  const first = sem.acquireAsync();
  const pushed = vi.spyOn(context.kernel, 'pushOntoChain');
  expect(sem.tryAcquire(1, 1)).toBe(false);
  expect(pushed).not.toHaveBeenCalled();
  pushed.mockRestore();
  sem.release();
  await first;
  expect([sem.available, sem.waiting]).toEqual([0, 0]);
});
