// Tests a primitive that is closed and freed while calls wait for it. Each call reports the close, not the free.

import { expect, test } from 'vitest';
import { BoundedBuffer } from '../../../packages/bounded-buffer/src/index.ts';
import { Broadcast } from '../../../packages/broadcast/src/index.ts';
import { Arena, Semaphore } from '../../../packages/core/src/index.ts';
import { openAs, secondAgent } from '../../../packages/core/test/support/second-agent.ts';
import { Lazy, Once } from '../../../packages/event/src/index.ts';
import { RateLimiter } from '../../../packages/limit/src/index.ts';
import * as classics from '../../../packages/classics/src/index.ts';
import * as semaphores from '../../../packages/semaphores/src/index.ts';

interface Closable {
  readonly handle: object;
  close(): unknown;
  free(): void;
}

/**
 * Makes a primitive and waits for it. Returns it with the waits. `open`: opens it for another agent, if one handle is
 * enough for that.
 */
interface Subject {
  readonly make: (arena: Arena) => { readonly one: Closable; readonly waits: readonly Promise<unknown>[] };
  readonly open?: (handle: never) => Closable;
}

const bytes = new Uint8Array(20);
const family = {
  Semaphore,
  AddressSemaphore: classics.AddressSemaphore,
  ChainSemaphore: classics.ChainSemaphore,
  LightweightSemaphore: classics.LightweightSemaphore,
  LocationSemaphore: classics.LocationSemaphore,
  MonitorSemaphore: classics.MonitorSemaphore,
  MultilaneSemaphore: classics.MultilaneSemaphore,
  PrioritySemaphore: semaphores.PrioritySemaphore,
  ResizableSemaphore: semaphores.ResizableSemaphore,
  TicketSemaphore: classics.TicketSemaphore,
  WaitingArraySemaphore: classics.WaitingArraySemaphore,
};

const SUBJECTS: Readonly<Record<string, Subject>> = {
  ...Object.fromEntries(
    Object.entries(family).map(([name, Class]): [string, Subject] => [
      name,
      {
        make: (arena) => {
          const one = Class.create(0, { arena });
          return { one, waits: [one.acquireAsync(), one.acquireAsync()] };
        },
        open: (handle) => Class.from(handle),
      },
    ]),
  ),
  'consumers of a BoundedBuffer': {
    make: (arena) => {
      const one = BoundedBuffer.create({ arena, codec: 'bytes', ringBytes: 32 });
      return { one, waits: [one.popAsync(), one.popAsync(), one.popManyAsync()] };
    },
    open: (handle) => BoundedBuffer.from(handle),
  },
  'producers of a BoundedBuffer of bytes': {
    make: (arena) => {
      const one = BoundedBuffer.create({ arena, codec: 'bytes', ringBytes: 32 });
      one.push(bytes);
      return { one, waits: [one.pushAsync(bytes), one.pushManyAsync([bytes, bytes]), one.pushAsync(bytes)] };
    },
    open: (handle) => BoundedBuffer.from(handle),
  },
  'producers of a BoundedBuffer of numbers': {
    make: (arena) => {
      const one = BoundedBuffer.create({ arena, codec: 'float64', capacity: 1 });
      one.push(1);
      return { one, waits: [one.pushAsync(1), one.pushManyAsync([1, 2])] };
    },
    open: (handle) => BoundedBuffer.from(handle),
  },
  'publishers of a Broadcast': {
    make: (arena) => {
      const one = Broadcast.create<number>({ arena, codec: 'int32', capacity: 1, overflow: 'wait' });
      one.subscribe();
      one.publish(1);
      return { one, waits: [one.publishAsync(2), one.publishAsync(3)] };
    },
    open: (handle) => Broadcast.from(handle),
  },
  'subscribers of a Broadcast': {
    make: (arena) => {
      const one = Broadcast.create<number>({ arena, codec: 'int32', capacity: 1 });
      return { one, waits: [one.subscribe().nextAsync(), one.subscribe().nextAsync()] };
    },
    open: (handle) => Broadcast.from(handle),
  },
  Once: {
    make: (arena) => {
      const one = Once.create({ arena });
      return { one, waits: [one.waitAsync(), one.waitAsync()] };
    },
    open: (handle) => Once.from(handle),
  },
  Lazy: {
    make: (arena) => {
      const one = Lazy.create<number>({ arena });
      return { one, waits: [one.waitAsync(), one.waitAsync()] };
    },
    open: (handle) => Lazy.from(handle),
  },
  RateLimiter: {
    make: (arena) => {
      const one = RateLimiter.create({ arena, permits: 1, interval: 1_000_000 });
      one.acquire();
      return { one, waits: [one.acquireAsync(), one.acquireAsync()] };
    },
  },
};

const arena = Arena.create({ maxPages: 64 });
const other = secondAgent(arena);

const rows = Object.keys(SUBJECTS).flatMap((name) =>
  ['the agent that waits', 'another agent'].flatMap((closing) =>
    [0, 1, 2, 5, 40].map((ticks) => [name, closing, ticks] as const),
  ),
);

test.each(rows)('%s: waits that %s ends after %i microtasks reject with ClosedError', async (name, closing, ticks) => {
  const { make, open } = SUBJECTS[name] as Subject;
  const { one, waits } = make(arena);
  const closer =
    closing === 'another agent' && open !== undefined
      ? openAs(other, one.handle as { readonly arena: string }, (handle) => open(handle as never))
      : one;
  const ends = Promise.allSettled(waits);
  for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
  closer.close();
  try {
    closer.free();
  } catch (failure) {
    // Some kinds count a waiter until it has read its verdict.
    expect(failure).toMatchObject({ code: 'SLUICE_MISUSE' });
  }
  for (const end of await ends) expect(end).toMatchObject({ status: 'rejected', reason: { code: 'SLUICE_CLOSED' } });
});
