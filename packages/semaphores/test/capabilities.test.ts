// What each member says that it can do is what it does.

import { Arena, HandleError, Region } from '@sluice/core';
import { BLOCK_LINE, DROWSY, seatOf } from '@sluice/core/internal';
import { describe, expect, test, vi } from 'vitest';
import { AddressSemaphore, ChainSemaphore, LocationSemaphore, MonitorSemaphore, TicketSemaphore, WaitingArraySemaphore } from '../src/index.ts';

const MEMBERS = [TicketSemaphore, WaitingArraySemaphore, ChainSemaphore, MonitorSemaphore, LocationSemaphore, AddressSemaphore] as const;

describe.each(MEMBERS.map((Member) => [Member.name, Member] as const))('%s', (_, Member) => {
  const { fifo, weighted, givesUp, bounded, wakesOne } = Member.capabilities;
  const arena = Arena.create({ maxPages: 64 });

  test('fifo: whether one that wants much is passed by those that want little', async () => {
    const sem = Member.create(0, { arena });
    const order: number[] = [];
    const waits = [2, 1].map((permits) => sem.acquireAsync(permits).then(() => order.push(permits)));
    sem.release();
    await new Promise((resolve) => setImmediate(resolve));
    sem.release(2);
    await Promise.all(waits);
    expect(order[0] === 2).toBe(fifo);
  });

  test('weighted: several permits can be taken at once', () => {
    const sem = Member.create(3, { arena });
    expect([sem.tryAcquire(3), weighted]).toEqual([true, true]);
  });

  test('givesUp: a wait can end without permits, and delays nobody', async () => {
    const sem = Member.create(0, { arena });
    const behind = sem.acquireAsync(1, { timeout: 1 }).catch(() => 'gave up');
    const last = sem.acquireAsync();
    expect([await behind, givesUp]).toEqual(['gave up', true]);
    sem.release();
    await last;
    expect([sem.available, sem.waiting]).toEqual([0, 0]);
  });

  test('bounded: a release beyond max throws and gives nothing', () => {
    const sem = Member.create(1, { arena, max: 1 });
    expect(() => sem.release()).toThrow(RangeError);
    expect([sem.available, bounded]).toEqual([1, true]);
  });

  test('wakesOne: whether a post wakes nobody but who is next', async () => {
    const own = Arena.create({ maxPages: 64 });
    const sem = Member.create(0, { arena: own });
    const waits = Array.from({ length: 5 }, () => sem.acquireAsync());
    const before = own.inspect().agents[0]?.wakeUps ?? 0;
    const calls = vi.spyOn(seatOf(own).parking, 'notify');
    // Async waits for tokens share a bucket; of who blocks there the call says how many it wakes.
    if (Member === AddressSemaphore) seatOf(own).words.add32(sem.handle.address + DROWSY, 1);
    sem.release();
    await Promise.race(waits);
    await new Promise((resolve) => setImmediate(resolve));
    const woken = (own.inspect().agents[0]?.wakeUps ?? 0) - before;
    if (Member === AddressSemaphore) expect([calls.mock.calls.at(0)?.at(1), wakesOne]).toEqual([1, true]);
    else expect(woken === 1).toBe(wakesOne);
    sem.release(4);
    await Promise.all(waits);
  });

  test('a handle of another member is refused', () => {
    const others = MEMBERS.filter((Other) => Other !== Member);
    for (const Other of others) expect(() => Member.from(Other.create(1, { arena }).handle)).toThrow(HandleError);
    expect(Member.from(Member.create(1, { arena }).handle).available).toBe(1);
  });

  test('who cannot get an element to wait with gives its ticket back', () => {
    const full = Arena.create({ maxPages: 1, policy: { buckets: 1 } });
    const sem = Member.create(0, { arena: full });
    fill(full);
    const held: Promise<void>[] = [];
    let failure: unknown;
    while (failure === undefined && held.length < 1000) {
      const before = sem.waiting;
      try {
        sem.tryAcquire(1, 1);
      } catch (error) {
        failure = error;
        expect(sem.waiting).toBe(before);
      }
      held.push(sem.acquireAsync());
      held.at(-1)?.catch((error: unknown) => (failure ??= error));
    }
    const waiting = sem.waiting;
    sem.release(waiting + 1);
    expect([sem.available, sem.waiting]).toEqual(fifo ? [1, 0] : [waiting + 1, waiting]);
    sem.close();
    for (const wait of held) wait.catch(() => undefined);
  });
});

/** Takes all of the heap that is left. */
function fill(arena: Arena): void {
  for (let bytes = 65_536; bytes >= BLOCK_LINE; bytes /= 2) {
    try {
      for (;;) Region.create(bytes, { arena });
    } catch {
      // Smaller ones may still find room.
    }
  }
}

test('WaitingArraySemaphore: a conservative one has no bound, and tells who comes next', async () => {
  const arena = Arena.create({ maxPages: 64 });
  expect(() => WaitingArraySemaphore.create(1, { arena, conservative: true, max: 2 })).toThrow(TypeError);
  expect(() => WaitingArraySemaphore.create(1, { arena, longTermThreshold: -1 })).toThrow(RangeError);
  const sem = WaitingArraySemaphore.create(0, { arena, conservative: true, longTermThreshold: 2 });
  const waits = [sem.acquireAsync(), sem.acquireAsync(2)];
  sem.release(3);
  await Promise.all(waits);
  expect([sem.available, sem.waiting]).toEqual([0, 0]);
});
