// The cost that an agent's async waits cause each other. The tests count wake-ups and checks, and measure no time.

import { Arena, Semaphore } from '@sluice/core';
import { contextOf } from '@sluice/core/internal';
import { describe, expect, onTestFinished, test, vi, type MockInstance } from 'vitest';
import { AddressSemaphore } from '../../src/index.ts';
import { PrioritySemaphore } from '../../../semaphores/src/index.ts';
import { COMPOSITE, INNER, ONE_LINE } from './support/members.ts';
import { SEMAPHORES } from '../../src/semaphores/kinds.ts';

const WAITS = 300;
/**
 * The most checks and wake-ups of one wait, from begin to end: its own, and at each of four lanes, before and after a
 * sleep.
 */
const COST = 40;

interface Awaited {
  acquireAsync(permits?: number, options?: { signal?: AbortSignal }): Promise<void>;
  release(permits?: number): void;
  readonly waiting: number;
}

/** The kernel steps that one agent's waits call, and its wake-ups. */
function meter(arena: Arena): () => number {
  const context = contextOf(arena);
  let count = 0;
  const counted =
    <Args extends unknown[], T>(step: (...args: Args) => T) =>
    (...args: Args): T => {
      count += 1;
      return step(...args);
    };
  const { parking } = context;
  const { kernel, steps } = context.load(SEMAPHORES);
  const { pollMember, takeTokens, pushOntoChain, sleepOnGate, takeAtBox } = kernel;
  const { poll, park } = { poll: steps.poll.bind(steps), park: steps.park.bind(steps) };
  Object.assign(steps, { poll: counted(poll), park: counted(park) });
  Object.assign(context, {
    kernel: {
      ...kernel,
      pollMember: counted(pollMember),
      takeTokens: counted(takeTokens),
      pushOntoChain: counted(pushOntoChain),
      sleepOnGate: counted(sleepOnGate),
      takeAtBox: counted(takeAtBox),
    },
  });
  Object.assign(parking, { notify: counted(parking.notify.bind(parking)) });
  return () => count;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function costs(name: string, create: (arena: Arena) => Awaited): void {
  test(`${name}: the cost of a release does not grow with the number of waits`, async () => {
    const arena = Arena.create({ maxPages: 64 });
    const count = meter(arena);
    const sem = create(arena);
    const order: number[] = [];
    const waits = Array.from({ length: WAITS }, (_, index) => sem.acquireAsync().then(() => order.push(index)));
    for (let released = 0; released < WAITS; released++) {
      sem.release();
      await turn();
    }
    await Promise.all(waits);
    expect(order).toEqual(Array.from({ length: WAITS }, (_, index) => index));
    expect(count()).toBeLessThan(COST * WAITS);
  });

  test(`${name}: the cost of a cancellation does not grow with the number of waits`, async () => {
    const arena = Arena.create({ maxPages: 64 });
    const count = meter(arena);
    const sem = create(arena);
    const controllers = Array.from({ length: WAITS }, () => new AbortController());
    const waits = controllers.map(({ signal }) => sem.acquireAsync(1, { signal }).catch(() => 'left'));
    for (const controller of controllers) {
      controller.abort();
      await turn();
    }
    await Promise.all(waits);
    expect(sem.waiting).toBe(0);
    expect(count()).toBeLessThan(COST * WAITS);
  });
}

describe('n waits of one agent', () => {
  costs('Semaphore', (arena) => Semaphore.create(0, { arena }));
  for (const Member of ONE_LINE) costs(Member.name, (arena) => Member.create(0, { arena }));
  for (const Member of COMPOSITE)
    for (const inner of INNER) costs(`${Member.name} over ${inner}`, (arena) => Member.create(0, { arena, inner }));
});

test('PrioritySemaphore: a permit passes through the waits of one thread without a wake-up for each, and the event loop turns in between', async () => {
  const arena = Arena.create({ maxPages: 64 });
  const sem = PrioritySemaphore.create(1, { arena });
  sem.acquire();
  const slept: MockInstance = vi.spyOn(Atomics, 'waitAsync');
  // However slow the thread is: a used-up budget would end turns earlier.
  const spend = vi.spyOn(contextOf(arena).budget, 'spend').mockReturnValue(undefined);
  onTestFinished(() => {
    slept.mockRestore();
    spend.mockRestore();
  });
  const order: number[] = [];
  const waits = Array.from({ length: 1000 }, (_, index) =>
    sem.acquireAsync(1, { priority: 3 }).then(() => {
      order.push(index);
      sem.release();
    }),
  );
  sem.release();
  await turn();
  expect(order.length).toBeGreaterThan(100);
  expect(order.length).toBeLessThanOrEqual(512);
  await Promise.all(waits);
  expect(order).toEqual(waits.map((_, index) => index));
  expect(slept.mock.calls.length).toBeLessThan(20);
  expect([sem.available, sem.waiting]).toEqual([1, 0]);
});

test('AddressSemaphore: waits for several and for single permits check oldest first, while permits last', async () => {
  const sem = AddressSemaphore.create(0, { arena: Arena.create({ maxPages: 64 }) });
  const order: string[] = [];
  const wants = [3, 1, 2, 1, 3, 1];
  const waits = wants.map((permits, index) => sem.acquireAsync(permits).then(() => order.push(`${index}: ${permits}`)));
  for (const [permits, served] of [
    [1, ['1: 1']],
    [2, ['2: 2']],
    [4, ['0: 3', '3: 1']],
    [1, ['5: 1']],
    [3, ['4: 3']],
  ] as const) {
    sem.release(permits);
    await turn();
    await turn();
    expect(order.splice(0)).toEqual(served);
  }
  await Promise.all(waits);
  expect([sem.available, sem.waiting]).toEqual([0, 0]);
});
