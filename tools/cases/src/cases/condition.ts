// Conditions of each lock: workers that block take what the main thread, which awaits, provides.

import type { Arena, ConditionHandle, RegionHandle } from 'sluice';
import { equal, type MainTools, type Sluice, type WorkerTools } from '../tools.ts';

const ROUNDS = 100;
const WORKERS = 2;

/** The locks that a condition takes. */
type AnyLock = Parameters<Sluice['Condition']['create']>[0];

interface LockKind {
  readonly make: (sluice: Sluice, arena: Arena) => { readonly lock: AnyLock; readonly handle: unknown };
  readonly open: (sluice: Sluice, handle: never) => AnyLock;
}

const KINDS = {
  Mutex: {
    make: ({ Mutex }, arena) => ((lock) => ({ lock, handle: lock.handle }))(Mutex.create({ arena })),
    open: ({ Mutex }, handle) => Mutex.from(handle),
  },
  RecursiveMutex: {
    make: ({ RecursiveMutex }, arena) => ((lock) => ({ lock, handle: lock.handle }))(RecursiveMutex.create({ arena })),
    open: ({ RecursiveMutex }, handle) => RecursiveMutex.from(handle),
  },
  'the writer of an RwLock': {
    make: ({ RwLock }, arena) => ((lock) => ({ lock: lock.writer, handle: lock.handle }))(RwLock.create({ arena })),
    open: ({ RwLock }, handle) => RwLock.from(handle).writer,
  },
} satisfies Record<string, LockKind>;
type Kind = keyof typeof KINDS;

interface Taking {
  readonly kind: Kind;
  readonly lock: never;
  readonly filled: ConditionHandle;
  readonly items: RegionHandle;
}

export const jobs = {
  take({ sluice }: WorkerTools, orders: readonly Taking[]): void {
    for (const { kind, lock: handle, filled, items } of orders) {
      const lock = KINDS[kind].open(sluice, handle);
      const condition = sluice.Condition.from(filled, lock);
      const { int32 } = sluice.Region.from(items);
      for (let round = 0; round < ROUNDS; round++) {
        lock.lock();
        condition.waitFor(() => (int32[0] ?? 0) > 0);
        int32[0] = (int32[0] ?? 0) - 1;
        int32[1] = (int32[1] ?? 0) + 1;
        lock.unlock();
      }
    }
  },
};

export async function main({ sluice, arena, start }: MainTools): Promise<void> {
  const made = (Object.keys(KINDS) as Kind[]).map((kind) => {
    const { lock, handle }: { readonly lock: AnyLock; readonly handle: unknown } = KINDS[kind].make(sluice, arena);
    return { kind, lock, handle, filled: sluice.Condition.create(lock), items: sluice.Region.create(8, { arena }) };
  });
  const orders: Taking[] = made.map(({ kind, handle, filled, items }) => ({
    kind,
    lock: handle as never,
    filled: filled.handle,
    items: items.handle,
  }));
  const workers = Array.from({ length: WORKERS }, () => start('take', orders));
  for (const { lock, filled, items } of made) {
    for (let round = 0; round < WORKERS * ROUNDS; round++) {
      await lock.lockAsync({ timeout: 30_000 });
      items.int32[0] = (items.int32[0] ?? 0) + 1;
      if (round % 10 === 0) filled.notifyAll();
      else filled.notify();
      lock.unlock();
    }
  }
  await Promise.all(workers.map(({ done }) => done));
  for (const { kind, items } of made)
    equal([...items.int32.subarray(0, 2)], [0, WORKERS * ROUNDS], `${kind}: items left and taken`);

  // Two tasks of the main thread: one waits for what the other changes.
  for (const { kind, lock, filled, items } of made) {
    await lock.lockAsync();
    const waits = filled.waitForAsync(() => items.int32[0] === 1, { timeout: 30_000 });
    await lock.lockAsync();
    items.int32[0] = 1;
    filled.notify();
    lock.unlock();
    await waits;
    equal(items.int32[0], 1, `${kind}: what the main thread waited for`);
    lock.unlock();
  }
}
