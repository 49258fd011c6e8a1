// Workers that block and the main thread that awaits change plain numbers under one lock: a lost mutual exclusion is a
// lost count.

import type { Arena, AsyncLock, Lock, Region, RegionHandle } from 'sluice';
import { equal, meet, rest, type MainTools, type Sluice, type WorkerTools } from './tools.ts';

const WORKERS = 2;
const ROUNDS = 200;
const AWAITED = 20;
/** In one of so many rounds a worker sleeps for 1 ms while it holds the lock. */
const SLEEP_EACH = 40;
/** The word after the two numbers. */
const ARRIVED = 2;

/** The words that a thread changes under the lock. */
export interface Guarded {
  readonly lock: Lock & AsyncLock;
}

/** How locks of one kind are made and opened. */
export interface LockKind {
  readonly make: (sluice: Sluice, arena: Arena) => Guarded & { readonly handle: unknown };
  readonly open: (sluice: Sluice, handle: never) => Guarded;
}

export type LockKinds = Readonly<Record<string, LockKind>>;

interface Data {
  readonly kind: string;
  readonly lock: never;
  readonly total: RegionHandle;
}

/**
 * Two numbers that are equal outside of a critical section. `sleeps`: without a lock the other threads would run
 * meanwhile.
 */
function step({ int32 }: Region, what: string, sleeps = false): void {
  const [first = 0, second = 0] = int32;
  equal(first, second, `${what}: the numbers`);
  if (sleeps) rest();
  int32[0] = first + 1;
  int32[1] = second + 1;
}

/** The jobs of a case with locks: one worker takes each lock of all orders that it gets. */
export function lockJobs(kinds: LockKinds): Record<string, (tools: WorkerTools, data: never) => void> {
  return {
    change: ({ sluice }: WorkerTools, orders: readonly Data[]): void => {
      for (const { kind, lock: handle, total } of orders) {
        const { lock } = kinds[kind]?.open(sluice, handle) ?? unknown(kind);
        const region = sluice.Region.from(total);
        meet(region.int32, ARRIVED, WORKERS);
        for (let round = 0; round < ROUNDS; round++) {
          if (round % 10 !== 0) lock.lock();
          else while (!lock.tryLock(1000));
          step(region, kind, round % SLEEP_EACH === 1);
          lock.unlock();
        }
      }
    },
  };
}

/** The main thread of such a case. */
export async function contend({ sluice, arena, start }: MainTools, kinds: LockKinds): Promise<void> {
  const made = Object.entries(kinds).map(([kind, { make }]) => ({
    kind,
    ...make(sluice, arena),
    region: sluice.Region.create(12, { arena }),
  }));
  const orders: Data[] = made.map(({ kind, handle, region }) => ({
    kind,
    lock: handle as never,
    total: region.handle,
  }));
  const workers = Array.from({ length: WORKERS }, () => start('change', orders));
  for (const { kind, lock, region } of made) {
    for (let round = 0; round < AWAITED; round++) {
      await lock.lockAsync({ timeout: 30_000 });
      step(region, kind);
      lock.unlock();
    }
  }
  await Promise.all(workers.map(({ done }) => done));
  for (const { kind, region } of made)
    equal(
      [...region.int32.subarray(0, 2)],
      [0, 0].map(() => WORKERS * ROUNDS + AWAITED),
      kind,
    );
}

function unknown(kind: string): never {
  throw new Error(`no kind ${kind}`);
}
