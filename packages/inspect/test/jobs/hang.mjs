// @ts-check
// Workers that hang. Each posts 'in' when it holds what it holds, and goes on when it is told to.
import { hasCode, Semaphore } from '@sluice/core';
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { detectDeadlocks } from '@sluice/inspect';
import { Mutex } from '@sluice/mutex';
import { RwLock } from '@sluice/rw-lock';
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';

/** @import { SemaphoreHandle } from '@sluice/core' */
/** @import { BoundedBufferHandle } from '@sluice/bounded-buffer' */
/** @import { MutexHandle } from '@sluice/mutex' */
/** @import { RwLockHandle } from '@sluice/rw-lock' */

/**
 * @typedef {{ role: 'async', held: MutexHandle, wanted: MutexHandle }
 *   | { role: 'throws', held: MutexHandle, wanted: MutexHandle }
 *   | { role: 'permits', held: SemaphoreHandle, wanted: SemaphoreHandle }
 *   | { role: 'produces', lock: MutexHandle, buffer: BoundedBufferHandle }
 *   | { role: 'consumes', lock: MutexHandle, buffer: BoundedBufferHandle, first: boolean }
 *   | { role: 'upgrades', cache: RwLockHandle, lock: MutexHandle }
 *   | { role: 'reads', cache: RwLockHandle, lock: MutexHandle }
 *   | { role: 'dies', lock: MutexHandle }
 *   | { role: 'waits', lock: MutexHandle }
 *   | { role: 'blocks', lock: MutexHandle, jobs: SemaphoreHandle }} HangData
 */

async function gate() {
  const go = once(/** @type {import('node:worker_threads').MessagePort} */ (parentPort), 'message');
  parentPort?.postMessage('in');
  await go;
}

/** @param {HangData} data */
async function hang(data) {
  switch (data.role) {
    case 'async': {
      const wanted = Mutex.from(data.wanted);
      await Mutex.from(data.held).runAsync(async () => {
        await gate();
        await wanted.runAsync(() => Promise.resolve());
      });
      break;
    }
    case 'throws': {
      const [held, wanted] = [Mutex.from(data.held), Mutex.from(data.wanted)];
      detectDeadlocks(held.arena);
      held.lock();
      await gate();
      try {
        wanted.run(() => parentPort?.postMessage('locked'));
      } catch (error) {
        parentPort?.postMessage(hasCode(error, 'SLUICE_DEADLOCK') ? 'SLUICE_DEADLOCK' : String(error));
      } finally {
        held.unlock();
      }
      break;
    }
    case 'permits': {
      const held = Semaphore.from(data.held);
      held.acquire(held.available);
      await gate();
      Semaphore.from(data.wanted).acquire();
      break;
    }
    case 'produces': {
      const [lock, buffer] = [Mutex.from(data.lock), BoundedBuffer.from(data.buffer)];
      lock.lock();
      await gate();
      for (;;) buffer.push(1);
    }
    case 'consumes': {
      const [lock, buffer] = [Mutex.from(data.lock), BoundedBuffer.from(data.buffer)];
      if (data.first) buffer.pop();
      await gate();
      lock.lock();
      buffer.pop();
      break;
    }
    case 'upgrades': {
      const { upgradeable } = RwLock.from(data.cache);
      Mutex.from(data.lock).lock();
      upgradeable.lock();
      await gate();
      await upgradeable.upgradeAsync();
      break;
    }
    case 'reads':
      RwLock.from(data.cache).reader.lock();
      await gate();
      Mutex.from(data.lock).lock();
      break;
    case 'dies':
      Mutex.from(data.lock).lock();
      await gate();
      process.exit();
      break;
    case 'waits':
      await gate();
      Mutex.from(data.lock).lock();
      break;
    case 'blocks':
      await gate();
      void Mutex.from(data.lock).lockAsync();
      // The thread does not return to its event loop, so it does not see that it gets the lock.
      Semaphore.from(data.jobs).acquire();
  }
}

void hang(/** @type {HangData} */ (workerData));
