// Tests that reports of a thread without the packages say the same of each kind, and that `onStuck` finds the waits of
// every primitive.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { kindText } from '../../../packages/core/src/agent/kind.ts';
import { contextOf } from '../../../packages/core/src/internal.ts';
import type { KindFacts } from '../../../packages/core/src/report.ts';
import { BLOCK_KIND, BLOCK_LINE, LAST_BASE_KIND } from '../../../packages/core/src/kernel/layout.ts';
import { blocks } from '../../../packages/core/src/memory/blocks.ts';
import { completed, knownKind } from '../../../packages/inspect/src/report/known-kinds.ts';
import { onStuck, type StuckWait } from '../../../packages/inspect/src/index.ts';
import {
  keyMonitor,
  keyOf,
  keyWaitAsync,
  parkAsync,
  SharedWord,
  waitOnAddressAsync,
} from '../../../packages/address-wait/src/index.ts';
import { AutoResetEvent } from '../../../packages/auto-reset-event/src/index.ts';
import { Barrier, CountdownLatch } from '../../../packages/barrier/src/index.ts';
import { BoundedBuffer } from '../../../packages/bounded-buffer/src/index.ts';
import { Broadcast, WatchCell } from '../../../packages/broadcast/src/index.ts';
import { Capacitor } from '../../../packages/capacitor/src/index.ts';
import {
  AddressSemaphore,
  ChainSemaphore,
  EventCount,
  LightweightSemaphore,
  McsLock,
  MonitorSemaphore,
  TicketLock,
  TtsLock,
  WaitingArraySemaphore,
} from '../../../packages/classics/src/index.ts';
import { Arena, Semaphore } from '../../../packages/core/src/index.ts';
import { Lazy, ManualResetEvent, Once } from '../../../packages/event/src/index.ts';
import { createLimit } from '../../../packages/limit/src/index.ts';
import { Condition, Mutex } from '../../../packages/mutex/src/index.ts';
import { KeyedMutex } from '../../../packages/named/src/index.ts';
import { RwLock } from '../../../packages/rw-lock/src/index.ts';
import { PrioritySemaphore, ResizableSemaphore } from '../../../packages/semaphores/src/index.ts';
import { arena as sampled, SAMPLES } from './samples.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** The most lines of a block of which a kind says what ends their waits. */
const MAX_LINES = 12;

test('the table of kinds has each kind, its title, what ends its waits, and whether its waiters compete', () => {
  for (const { make } of SAMPLES) make();
  const context = contextOf(sampled);
  const { words } = context;
  const kinds = new Set(
    [...blocks(words)].flatMap((block) =>
      // Some kinds are those of lines within a block.
      Array.from({ length: MAX_LINES }, (_, line) => block + line * BLOCK_LINE)
        .filter((address) => address < sampled.inspect().used)
        .map((address) => words.load32(address + BLOCK_KIND)),
    ),
  );
  const loaded = [...kinds].flatMap((code) => {
    const kind = code > LAST_BASE_KIND ? context.kindWith(code)?.kind : undefined;
    return kind === undefined ? [] : [{ code, kind }];
  });
  expect(loaded.length).toBeGreaterThan(20);
  const told = loaded.map(({ code, kind }) => tell(code, completed(code, { kind }).kind));
  const known = loaded.map(({ code }) => tell(code, knownKind(code)?.kind));
  expect(known).toEqual(told);
});

/** Combinations of the bits that an owner's word may have, as its two halves. */
const HALVES = [0, 1, 0x10_0000].flatMap((low) =>
  Array.from({ length: 2 ** 8 }, (_, flags) => [low, flags << 23] as const),
);

function tell(code: number, kind: KindFacts | undefined): unknown {
  return {
    name: kindText(code),
    title: kind?.title ?? 'not in the table',
    ends: Array.from({ length: MAX_LINES }, (_, line) => kind?.endedBy?.(line)),
    competes: HALVES.map(([low, high]) => kind?.competes?.(low, high)),
  };
}

interface Place {
  readonly arena: Arena;
  readonly name: string;
}

interface Ends {
  readonly signal: AbortSignal;
}

type Waiting = (place: Place, ends: Ends) => Promise<unknown>;

const SEMAPHORES = {
  AddressSemaphore,
  ChainSemaphore,
  LightweightSemaphore,
  MonitorSemaphore,
  PrioritySemaphore,
  ResizableSemaphore,
  Semaphore,
  WaitingArraySemaphore,
};

const LOCKS = { McsLock, Mutex, TicketLock, TtsLock };

/** An async wait that nothing ends but its signal, and the kind of what it waits for. */
const WAITS: readonly (readonly [name: string, kind: string, begin: Waiting])[] = [
  ...Object.entries(SEMAPHORES).map(([name, Class]): (typeof WAITS)[number] => [
    name,
    'semaphore',
    (place, ends) => {
      const semaphore = Class.create(1, place);
      semaphore.acquire();
      return semaphore.acquireAsync(1, ends);
    },
  ]),
  ...Object.entries(LOCKS).map(([name, Class]): (typeof WAITS)[number] => [
    name,
    'lock',
    (place, ends) => {
      const lock = Class.create(place);
      lock.lock();
      return lock.lockAsync(ends);
    },
  ]),
  [
    'RwLock, a reader',
    'lock',
    (place, ends) => {
      const lock = RwLock.create(place);
      lock.writer.lock();
      return lock.reader.lockAsync(ends);
    },
  ],
  [
    'RwLock, a writer',
    'lock',
    (place, ends) => {
      const lock = RwLock.create(place);
      lock.reader.lock();
      return lock.writer.lockAsync(ends);
    },
  ],
  [
    'KeyedMutex',
    'lock',
    (place, ends) => {
      const locks = KeyedMutex.create(place);
      locks.lock('key');
      return locks.lockAsync('key', ends);
    },
  ],
  ['BoundedBuffer, empty', 'buffer', (place, ends) => BoundedBuffer.create({ ...place, capacity: 1 }).popAsync(ends)],
  [
    'BoundedBuffer, full',
    'buffer',
    (place, ends) => {
      const buffer = BoundedBuffer.create({ ...place, capacity: 1, codec: 'int32' });
      buffer.push(1);
      return buffer.pushAsync(1, ends);
    },
  ],
  ['Barrier', 'barrier', (place, ends) => Barrier.create(2, place).waitAsync(ends)],
  ['CountdownLatch', 'latch', (place, ends) => CountdownLatch.create(1, place).waitAsync(ends)],
  ['ManualResetEvent', 'event', (place, ends) => ManualResetEvent.create(place).waitAsync(ends)],
  ['AutoResetEvent', 'event', (place, ends) => AutoResetEvent.create(place).waitAsync(ends)],
  ['Once', 'once', (place, ends) => Once.create(place).waitAsync(ends)],
  ['Lazy', 'lazy', (place, ends) => Lazy.create(place).waitAsync(ends)],
  ['EventCount', 'event count', (place, ends) => EventCount.create(place).awaitAsync(1, ends)],
  ['Broadcast', 'broadcast', (place, ends) => Broadcast.create(place).subscribe().nextAsync(ends)],
  [
    'WatchCell',
    'watch cell',
    (place, ends) => {
      const cell = WatchCell.create(1, place);
      cell.tryChanged();
      return cell.changedAsync(ends);
    },
  ],
  [
    'Condition',
    'condition',
    (place, ends) => {
      const lock = Mutex.create(place);
      lock.lock();
      return Condition.create(lock, { name: place.name }).waitAsync(ends);
    },
  ],
  [
    'Capacitor',
    'capacitor',
    (place, ends) => {
      const capacitor = Capacitor.create({ ...place, bypassLimit: 1 });
      capacitor.arrive();
      return capacitor.arriveAsync(ends);
    },
  ],
  ['parkAsync', 'condition', ({ arena }, ends) => parkAsync(arena, ends)],
  ['waitOnAddressAsync', 'condition', (place, ends) => waitOnAddressAsync(SharedWord.create(0, place), 0, ends)],
  [
    'keyWaitAsync',
    'condition',
    (place, ends) => {
      const key = keyOf(SharedWord.create(0, place), 1);
      return keyWaitAsync(key, keyMonitor(key), ends);
    },
  ],
  [
    'createLimit',
    'semaphore',
    ({ arena }, ends) => {
      const limit = createLimit(1, { arena });
      void limit.run(() => new Promise((resolve) => ends.signal.addEventListener('abort', resolve)));
      return limit.run(() => undefined, ends);
    },
  ],
];

test.each(WAITS)('onStuck finds an async wait of %s', async (_, kind, begin) => {
  const arena = Arena.create({ maxPages: 64 });
  const found: StuckWait[] = [];
  const watch = onStuck(arena, 5000, ({ waits }) => found.push(...waits));
  const end = new AbortController();
  const wait = begin({ arena, name: 'this one' }, { signal: end.signal });
  wait.catch(() => undefined);
  // The async forms enter the line after a few microtasks.
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  vi.advanceTimersByTime(5300);
  expect(found).toMatchObject([{ agent: arena.agentId, how: 'async', waitsFor: { kind } }]);
  end.abort();
  await expect(wait).rejects.toThrow();
  watch.stop();
});
