import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { CapacitorLock } from '../../../packages/capacitor/src/index.ts';
import { Mutex, RecursiveMutex } from '../../../packages/mutex/src/index.ts';
import { Arena, Semaphore } from '../../../packages/core/src/index.ts';
import { jsEngine } from '@sluice/core/js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Returns a handle of an arena in which this realm has an agent, and of which the program has no object. */
async function forgotten<T>(make: () => T): Promise<T> {
  const made = make();
  // Objects created in a job stay alive until the job ends.
  for (let round = 0; round < 3; round++) {
    await turn();
    collect();
  }
  return made;
}

test('a forgotten arena keeps the engine and the policy of the first Arena.from()', async () => {
  const handle = await forgotten(
    () =>
      Semaphore.create(1, { arena: Arena.create({ maxPages: 4, engine: jsEngine, policy: { spinMicros: 7 } }) }).handle,
  );
  const { engine, policy, agentId } = Semaphore.from(handle).arena;
  expect([engine, policy.spinMicros, agentId]).toEqual(['js', 7, 1]);
});

test('repeated uses of a forgotten arena leave one agent record', async () => {
  const handle = await forgotten(() => Semaphore.create(1, { arena: Arena.create({ maxPages: 4 }) }).handle);
  for (let use = 0; use < 20; use++) {
    await forgotten(() => {
      Semaphore.from(handle).run(() => undefined);
    });
  }
  expect(Semaphore.from(handle).arena.inspect().agents).toHaveLength(1);
});

test('another instance of the same thread can unlock a lock that a dropped instance took', async () => {
  const handles = await forgotten(() => {
    const arena = Arena.create({ maxPages: 4 });
    const locks = {
      mutex: Mutex.create({ arena }),
      recursive: RecursiveMutex.create({ arena }),
      semaphore: Semaphore.create(1, { arena }),
    };
    locks.mutex.lock();
    locks.recursive.lock();
    locks.recursive.lock();
    locks.semaphore.acquire();
    const inner = Mutex.create({ arena });
    const capacitor = CapacitorLock.create(inner);
    capacitor.lock();
    return {
      mutex: locks.mutex.handle,
      recursive: locks.recursive.handle,
      semaphore: locks.semaphore.handle,
      inner: inner.handle,
      capacitor: capacitor.handle,
    };
  });
  const again = Mutex.from(handles.mutex);
  expect(again.owned).toBe(true);
  again.unlock();
  const recursive = RecursiveMutex.from(handles.recursive);
  recursive.unlock();
  recursive.unlock();
  CapacitorLock.from(handles.capacitor, Mutex.from(handles.inner)).unlock();
  expect(Semaphore.from(handles.semaphore).inspect().holders).toMatchObject([{ agent: 1, permits: 1 }]);
  Semaphore.from(handles.semaphore).release();
  const [own] = again.arena.inspect().agents;
  expect(own?.holds).toEqual([]);
});
