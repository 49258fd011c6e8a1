// The hashes of the waiting array: which buckets tickets visit, and which they share.

import { Arena } from '@sluice/core';
import { contextOf } from '@sluice/core/internal';
import { describe, expect, test } from 'vitest';
import { WaitingArraySemaphore, type TicketHash } from '../../src/index.ts';
import { kernelOf } from '../../src/semaphores/family-kernel.ts';
import { engineNamed } from '../../../core/test/support/engines.ts';
import './support/kinds.ts';

const BUCKETS = 256;
const HASHES = ['linear', 'product', 'pairs', 'pages', 'gray', 'mixed'] as const satisfies readonly TicketHash[];

function semaphoresWith(hash: TicketHash, count = 1, engine: 'wasm' | 'js' = 'wasm'): ((ticket: number) => number)[] {
  const arena = Arena.create({ policy: { buckets: BUCKETS }, engine: engineNamed(engine) });
  const kernel = kernelOf(contextOf(arena));
  return Array.from({ length: count }, () => {
    const { address } = WaitingArraySemaphore.create(0, { arena, hash }).handle;
    return (ticket) => kernel.slotOfTicket(address as Parameters<typeof kernel.slotOfTicket>[0], ticket);
  });
}

function slots(hash: TicketHash, from = 0, count = BUCKETS): number[] {
  const [slot = Number] = semaphoresWith(hash);
  return Array.from({ length: count }, (_, n) => slot(from + n));
}

/** The longest run of tickets at which two semaphores share a bucket, when the second is `apart` tickets ahead. */
function longestRun(one: readonly number[], two: readonly number[], apart: number): number {
  let longest = 0;
  let run = 0;
  for (const [ticket, slot] of one.entries()) {
    run = slot === two[ticket + apart] ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

test.each(HASHES)("with hash '%s' tickets visit every bucket before they repeat one", (hash) => {
  const each = hash === 'pairs' ? 2 : 1;
  for (const from of [0, 4 * BUCKETS]) {
    const visited = slots(hash, from, each * BUCKETS);
    expect(new Set(visited).size).toBe(BUCKETS);
  }
});

test.each(HASHES)("with hash '%s' any twice as many tickets as buckets visit every bucket", (hash) => {
  for (const from of [0, 1, 77, BUCKETS - 1, BUCKETS + 1])
    expect(new Set(slots(hash, from, 2 * BUCKETS)).size).toBe(BUCKETS);
});

describe.each(HASHES)("a release of more permits than there are buckets, with hash '%s'", (hash) => {
  const PERMITS = [17, 24, 31, 32, 33, 48, 300];
  const create = (): WaitingArraySemaphore =>
    WaitingArraySemaphore.create(0, { arena: Arena.create({ policy: { buckets: 16 } }), hash });

  test.each(PERMITS)('wakes an async waiter that wants all %d permits', async (permits) => {
    const semaphore = create();
    const wait = semaphore.acquireAsync(permits);
    semaphore.release(permits);
    await wait;
    expect(semaphore.available).toBe(0);
  });

  test.each(PERMITS)('wakes every async waiter of one of %d permits', async (permits) => {
    const semaphore = create();
    const waits = Array.from({ length: permits }, () => semaphore.acquireAsync());
    semaphore.release(permits);
    await Promise.all(waits);
    expect([semaphore.available, semaphore.waiting]).toEqual([0, 0]);
  });
});

test.each(HASHES)("hash '%s' gives the same bucket in WebAssembly and in TypeScript, also beyond 2^31", (hash) => {
  const [wasm = Number] = semaphoresWith(hash, 1, 'wasm');
  const [js = Number] = semaphoresWith(hash, 1, 'js');
  for (const ticket of [0, 1, 63, 64, 255, 256, 2 ** 31 - 1, -(2 ** 31), -257, -1])
    expect([ticket, wasm(ticket)]).toEqual([ticket, js(ticket)]);
});

test("with hash 'pairs' two consecutive tickets share a bucket", () => {
  const visited = slots('pairs');
  expect(visited.filter((_, n) => n % 2 === 1)).toEqual(visited.filter((_, n) => n % 2 === 0));
});

test("with hash 'pages' 64 consecutive tickets stay in one page of 4096 bytes", () => {
  const pages = slots('pages').map((slot) => (slot - 256) >> 12);
  expect(pages).toEqual(Array.from({ length: BUCKETS }, (_, n) => n >> 6));
});

test.each(HASHES)(
  "hash '%s': two semaphores in step part after a round at most, except with the linear ones",
  (hash) => {
    const [one = [], two = []] = semaphoresWith(hash, 2).map((slot) =>
      Array.from({ length: 8 * BUCKETS }, (_, ticket) => slot(ticket)),
    );
    const longest = Math.max(...Array.from({ length: BUCKETS }, (_, apart) => longestRun(one, two, apart)));
    expect(longest > 2 * BUCKETS).toBe(hash === 'linear');
  },
);

test.each(HASHES)("a blocking and an async waiter are served in order with hash '%s'", async (hash) => {
  const arena = Arena.create();
  const sem = WaitingArraySemaphore.create(0, { arena, hash });
  const order: number[] = [];
  const waits = Array.from({ length: 5 }, (_, n) => sem.acquireAsync().then(() => order.push(n)));
  for (let n = 0; n < 5; n++) sem.release();
  await Promise.all(waits);
  expect([order, sem.tryAcquire(1, 1)]).toEqual([[0, 1, 2, 3, 4], false]);
  expect(WaitingArraySemaphore.from(sem.handle).capabilities).toEqual(WaitingArraySemaphore.capabilities);
});
