// Each word of a primitive's block is overwritten with each of some bad values, and then each call is made. A call ends with a result or with an
// error of Sluice. Its operations are counted, not timed: each look at the clock advances it by a second.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Broadcast } from '../../../packages/broadcast/src/index.ts';
import { Arena, Semaphore } from '../../../packages/core/src/index.ts';
import { contextOf } from '../../../packages/core/src/internal.ts';
import { BLOCK_SIZE } from '../../../packages/core/src/kernel/layout.ts';
import { Lazy, Once } from '../../../packages/event/src/index.ts';
import { Mutex } from '../../../packages/mutex/src/index.ts';
import { KeyedMutex } from '../../../packages/named/src/index.ts';
import { WatchCell } from '../../../packages/watch/src/index.ts';

let clock = 0;

beforeEach(() => {
  vi.spyOn(performance, 'now').mockImplementation(() => (clock += 1000));
});

afterEach(() => {
  vi.restoreAllMocks();
});

interface Subject {
  readonly address: number;
  readonly calls: readonly (() => unknown)[];
}

const SUBJECTS: Readonly<Record<string, (arena: Arena) => Subject>> = {
  Semaphore: (arena) => {
    const sem = Semaphore.create(1, { arena });
    return { address: sem.handle.address, calls: [() => sem.tryAcquire(1, 1), () => sem.inspect()] };
  },
  Mutex: (arena) => {
    const mutex = Mutex.create({ arena });
    return { address: mutex.handle.address, calls: [() => mutex.tryLock(1), () => mutex.inspect()] };
  },
  KeyedMutex: (arena) => {
    const keys = KeyedMutex.create({ arena });
    keys.lock('a');
    keys.lock('b');
    return { address: keys.handle.address, calls: [() => keys.tryLock('c', 1), () => keys.owns('a'), () => keys.inspect(), () => keys.unlock('a')] };
  },
  'the entry of a KeyedMutex': (arena) => {
    const keys = KeyedMutex.create({ arena });
    const blocks = (): number[] => arena.inspect().blocks.map(({ address }) => address);
    const before = blocks();
    keys.lock('a');
    const address = blocks().find((block) => !before.includes(block)) ?? 0;
    return { address, calls: [() => keys.tryLock('a', 1), () => keys.tryLock('c', 1), () => keys.inspect(), () => keys.unlock('a')] };
  },
  Once: (arena) => {
    const once = Once.create({ arena });
    return { address: once.handle.address, calls: [() => once.tryRun(() => undefined, 1), () => once.tryWait(1), () => once.isDone, () => once.inspect()] };
  },
  Lazy: (arena) => {
    const lazy = Lazy.create<number>({ arena, capacity: 64 });
    lazy.get(() => 1);
    const other = Lazy.from(lazy.handle);
    return { address: lazy.handle.address, calls: [() => other.value, () => lazy.tryGet(() => 2, 1), () => lazy.tryWait(1), () => lazy.inspect()] };
  },
  'Broadcast of numbers': (arena) => {
    const broadcast = Broadcast.create<number>({ arena, codec: 'int32', capacity: 2 });
    const subscription = broadcast.subscribe();
    broadcast.publish(1);
    return { address: broadcast.handle.address, calls: [() => subscription.tryNext(1), () => broadcast.tryPublish(2, 1), () => broadcast.inspect(), () => broadcast.subscribe({ from: 'oldest' }).tryNext()] };
  },
  'Broadcast of JSON that waits': (arena) => {
    const broadcast = Broadcast.create<number>({ arena, capacity: 1, maxBytes: 8, overflow: 'wait', maxSubscriptions: 2 });
    const subscription = broadcast.subscribe();
    broadcast.publish(1);
    return { address: broadcast.handle.address, calls: [() => subscription.tryNext(1), () => broadcast.tryPublish(2, 1), () => broadcast.inspect()] };
  },
  WatchCell: (arena) => {
    const cell = WatchCell.create<number>(1, { arena, codec: 'int32' });
    return { address: cell.handle.address, calls: [() => cell.get(), () => cell.set(2), () => cell.tryChanged(1), () => cell.inspect()] };
  },
};

/** The most bytes of a block that are damaged, one word after the other. */
const MOST_BYTES = 512;

/** An error of Sluice, or of a codec that was given other bytes. */
function isTyped(failure: unknown): boolean {
  const { code, name } = failure as { readonly code?: string; readonly name?: string };
  return code?.startsWith('SLUICE_') === true || name === 'SyntaxError';
}

const VALUES = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 64, 0x1234_5678];

test.each(Object.entries(SUBJECTS))('%s: every call on a damaged block ends with a result or a typed error', (_, make) => {
  const odd: string[] = [];
  const arena = Arena.create({ maxPages: 8, policy: { buckets: 4, spinMicros: 0 } });
  const image = new Uint8Array(arena.handle.memory.buffer);
  const first = make(arena);
  // Sleeps end at once: no other thread is there to wake this one.
  vi.spyOn(contextOf(arena).parking, 'wait').mockReturnValue('timed-out');
  const before = image.slice();
  const { words } = contextOf(arena);
  const bytes = Math.min(MOST_BYTES, words.load32(first.address + BLOCK_SIZE));
  for (let word = 0; word < bytes; word += 4) {
    for (const value of VALUES) {
      for (const [n, call] of first.calls.entries()) {
        image.set(before);
        words.store32(first.address + word, value);
        try {
          call();
        } catch (failure) {
          if (!isTyped(failure)) odd.push(`word ${word} = ${value}, call ${n}: ${String(failure)}`);
        }
      }
    }
  }
  expect(odd).toEqual([]);
});
