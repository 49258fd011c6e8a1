// Workers that are terminated while they hold something, and the page's watch, which finds that out.

import type { BoundedBufferHandle, CountdownLatchHandle, LimitHandle, MutexHandle, RwLockHandle, SemaphoreHandle } from '@sluice/all';
import { check, equal, failure, type Job, type PageTools, type WorkerTools } from '../tools.ts';

interface Data {
  /** What the worker does when it is terminated. */
  readonly then: 'sleeps' | 'computes' | 'is idle';
  readonly permits: SemaphoreHandle;
  readonly never: SemaphoreHandle;
  readonly mutex: MutexHandle;
  readonly written: RwLockHandle;
  readonly values: BoundedBufferHandle;
  readonly parts: CountdownLatchHandle;
  readonly limit: LimitHandle;
}

export const jobs = {
  async hold({ sluice, arena, say }: WorkerTools, data: Data): Promise<void> {
    sluice.Semaphore.from(data.permits).acquire(2);
    sluice.Mutex.from(data.mutex).lock();
    sluice.RwLock.from(data.written).writer.lock();
    new sluice.BufferWriter<number>(sluice.BoundedBuffer.from(data.values)).claim(3);
    sluice.CountdownLatch.from(data.parts).claim(1);
    void sluice.createLimit.from(data.limit)(() => new Promise(() => undefined));
    say(arena.agentId);
    if (data.then === 'computes') for (;;);
    if (data.then === 'sleeps') sluice.Semaphore.from(data.never).acquire();
    await new Promise(() => undefined);
  },
};

interface Death {
  readonly job: Job;
  /** How long after `terminate` everything was there again, in ms. */
  readonly died: () => Promise<number>;
}

async function death({ sluice, arena, start }: PageTools, then: Data['then']): Promise<Death> {
  const permits = sluice.Semaphore.create(2, { arena, name: 'permits' });
  const never = sluice.Semaphore.create(0, { arena });
  const mutex = sluice.Mutex.create({ arena });
  const written = sluice.RwLock.create({ arena });
  const values = sluice.BoundedBuffer.create({ codec: 'int32', capacity: 4, arena });
  const parts = sluice.CountdownLatch.create(1, { arena });
  const limit = sluice.createLimit(1, { arena });
  const data: Data = {
    then, permits: permits.handle, never: never.handle, mutex: mutex.handle, written: written.handle, values: values.handle, parts: parts.handle, limit: limit.handle,
  };
  const job = start('hold', data);
  const reports: number[] = [];
  const watch = arena.watch(job.worker, { onReclaim: ({ agent }) => reports.push(agent) });
  const agent = await job.next();

  const died = async (): Promise<number> => {
    equal([permits.available, mutex.tryLock(), values.tryPush(1)], [0, false, false], `held by a worker that ${then}`);
    const waits = [permits.acquireAsync(2), failure(() => mutex.lockAsync(), 'SLUICE_OWNER_DIED'), failure(() => written.writer.lockAsync(), 'SLUICE_OWNER_DIED')] as const;
    const others = [values.pushAsync(7), parts.waitAsync(), limit(() => 'ran')] as const;
    const began = performance.now();
    job.worker.terminate();
    const [, lock, writer] = await Promise.all(waits);
    const [, , ran] = await Promise.all(others);
    const took = performance.now() - began;
    equal([ran, values.length, values.tryPop()], ['ran', 1, 7], 'the others');
    for (const { guard } of [lock, writer]) {
      guard?.markConsistent();
      guard?.release();
    }
    permits.release(2);
    check(mutex.tryLock() && written.reader.tryLock(), 'the locks are free');
    check(reports.includes(agent as number), 'the watch reported the agent');
    equal(arena.inspect().agents.some((each) => each.agent === agent), false, 'the agent is there');
    watch.stop();
    return took;
  };
  return { job, died };
}

/** A worker that lives is never taken for dead, however long it sleeps. */
async function lives({ sluice, arena, start }: PageTools): Promise<Death> {
  const permits = sluice.Semaphore.create(2, { arena });
  const never = sluice.Semaphore.create(0, { arena });
  const mutex = sluice.Mutex.create({ arena });
  const written = sluice.RwLock.create({ arena });
  const values = sluice.BoundedBuffer.create({ codec: 'int32', capacity: 4, arena });
  const parts = sluice.CountdownLatch.create(1, { arena });
  const limit = sluice.createLimit(1, { arena });
  const job = start('hold', {
    then: 'sleeps', permits: permits.handle, never: never.handle, mutex: mutex.handle, written: written.handle, values: values.handle, parts: parts.handle, limit: limit.handle,
  } satisfies Data);
  await job.next();
  return { job, died: () => Promise.resolve(permits.available) };
}

/** Returns how long each death went unnoticed. */
export async function page(tools: PageTools): Promise<Record<string, number>> {
  const survivor = await lives(tools);
  const times: Record<string, number> = {};
  const states: readonly Data['then'][] = ['is idle', 'sleeps', 'computes'];
  const deaths = await Promise.all(states.map((then) => death(tools, then)));
  await Promise.all(deaths.map(async ({ died }, n) => (times[`a worker that ${states[n] ?? ''}`] = Math.round(await died()))));
  equal(await survivor.died(), 0, 'free permits of a worker that lives');
  return times;
}
