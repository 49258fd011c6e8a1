// Timeouts and aborts, of blocking waits in a worker and of async waits on both sides. What gave up has taken nothing.

import type { BoundedBufferHandle, MutexHandle, SemaphoreHandle } from 'sluice';
import { equal, failure, sleep, type MainTools, type Tools, type WorkerTools } from '../tools.ts';

interface Data {
  readonly permits: SemaphoreHandle;
  readonly mutex: MutexHandle;
  readonly queue: BoundedBufferHandle;
}

async function giveUp({ sluice }: Pick<Tools, 'sluice'>, { permits, mutex: lock, queue: values }: Data): Promise<void> {
  const semaphore = sluice.Semaphore.from(permits);
  const mutex = sluice.Mutex.from(lock);
  const queue = sluice.BoundedBuffer.from<number>(values);
  await failure(() => semaphore.acquireAsync(1, { timeout: 20 }), 'SLUICE_TIMEOUT');
  await failure(() => mutex.lockAsync({ timeout: 20 }), 'SLUICE_TIMEOUT');
  await failure(() => queue.popAsync({ timeout: 20 }), 'SLUICE_TIMEOUT');
  for (const wait of [
    (signal: AbortSignal) => semaphore.acquireAsync(1, { signal }),
    (signal: AbortSignal) => mutex.lockAsync({ signal }),
    (signal: AbortSignal) => queue.popAsync({ signal }),
  ]) {
    const controller = new AbortController();
    const reason = Object.assign(new Error('changed its mind'), { code: 'OWN' });
    const waits = failure(() => wait(controller.signal), 'OWN');
    await sleep(5);
    controller.abort(reason);
    equal((await waits) === reason, true, 'the reason itself');
  }
}

export const jobs = {
  async giveUp(tools: WorkerTools, data: Data): Promise<void> {
    const { sluice } = tools;
    const semaphore = sluice.Semaphore.from(data.permits);
    const queue = sluice.BoundedBuffer.from<number>(data.queue);
    equal(
      [semaphore.tryAcquire(1, 20), sluice.Mutex.from(data.mutex).tryLock(20), queue.tryPop(20) ?? null],
      [false, false, null],
      'blocking waits',
    );
    await giveUp(tools, data);
  },
};

export async function main(tools: MainTools): Promise<void> {
  const { sluice, arena, start } = tools;
  const semaphore = sluice.Semaphore.create(0, { arena });
  const mutex = sluice.Mutex.create({ arena });
  const queue = sluice.BoundedBuffer.create({ codec: 'int32', capacity: 4, arena });
  const data: Data = { permits: semaphore.handle, mutex: mutex.handle, queue: queue.handle };
  // The main thread owns the mutex, so it waits for it only as another task of the same agent.
  await mutex.lockAsync();
  const worker = start('giveUp', data);
  await giveUp(tools, data);
  await worker.done;
  mutex.unlock();
  semaphore.release();
  queue.tryPush(7);
  equal([semaphore.available, semaphore.waiting, mutex.tryLock(), queue.tryPop()], [1, 0, true, 7], 'what is left');
  mutex.unlock();

  // A close ends the waits.
  const waits = failure(() => queue.popAsync(), 'SLUICE_CLOSED');
  queue.close();
  await waits;
}
