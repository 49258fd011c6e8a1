// A capacitor around a lock in each form, and the gates alone.

import type { CapacitorLockHandle, MutexHandle } from 'sluice';
import { contend, lockJobs, type LockKind, type LockKinds } from '../contend.ts';
import { equal, type MainTools } from '../tools.ts';

const FORMS = {
  adaptive: {},
  'with a bypass limit': { bypassLimit: 2 },
  'with lanes': { bypassLimit: 4, lanes: 4 },
} as const;

interface Handles {
  readonly inner: MutexHandle;
  readonly outer: CapacitorLockHandle;
}

const kindOf = (options: object): LockKind => ({
  make: ({ Mutex, CapacitorLock }, arena) => {
    const inner = Mutex.create({ arena });
    const lock = CapacitorLock.create(inner, { arena, ...options });
    return { lock, handle: { inner: inner.handle, outer: lock.handle } };
  },
  open: ({ Mutex, CapacitorLock }, { inner, outer }: Handles) => ({
    lock: CapacitorLock.from(outer, Mutex.from(inner)),
  }),
});

const KINDS: LockKinds = Object.fromEntries(
  Object.entries(FORMS).map(([name, options]) => [`CapacitorLock ${name}`, kindOf(options)]),
);

export const jobs = lockJobs(KINDS);

export async function main(tools: MainTools): Promise<void> {
  await contend(tools, KINDS);
  const { sluice, arena } = tools;
  for (const gate of [
    sluice.Capacitor.create({ arena }),
    sluice.SemaphoreCapacitor.create(sluice.Semaphore.create(4, { arena })),
    sluice.LanedCapacitor.create({ arena, lanes: 4, bypassLimit: 4 }),
    sluice.Turnstile.create({ arena }),
  ]) {
    await gate.arriveAsync();
    equal(gate.empty, false, 'empty, with the main thread inside');
    gate.depart();
    equal(gate.empty, true, 'empty, without it');
  }
}
