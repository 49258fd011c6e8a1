// A page that is served without the two headers: every way in says which headers are missing, on the page and in a
// worker.

import { check, equal, failure, jsOptions, type MainTools, type Tools, type WorkerTools } from '../tools.ts';

async function refuse({ sluice, load }: Pick<Tools, 'load' | 'sluice'>): Promise<void> {
  equal(typeof SharedArrayBuffer, 'undefined', 'SharedArrayBuffer');
  const js = await jsOptions(load);
  for (const open of [
    () => sluice.Arena.create(),
    () => sluice.Arena.default(),
    () => sluice.Arena.create(js),
    () => sluice.Region.create(4),
    () => sluice.Semaphore.create(1),
    () => sluice.Mutex.create(),
    () => sluice.RecursiveMutex.create(),
    () => sluice.RwLock.create(),
    () => sluice.SeqLock.create({ byteLength: 8 }),
    () => sluice.TtsLock.create(),
    () => sluice.TicketSemaphore.create(1),
    () => sluice.PrioritySemaphore.create(1),
    () => sluice.ResizableSemaphore.create(1),
    () => sluice.BoundedBuffer.create({ codec: 'int32' }),
    () => sluice.WatchCell.create(0),
    () => sluice.Broadcast.create(),
    () => sluice.createLimit(1),
    () => sluice.createLimit({ interval: 10, intervalCap: 1 }),
    () => sluice.RateLimiter.create({ permits: 1, interval: 1 }),
    () => sluice.AutoResetEvent.create(),
    () => sluice.ManualResetEvent.create(),
    () => sluice.Once.create(),
    () => sluice.Lazy.create(),
    () => sluice.Barrier.create(2),
    () => sluice.CountdownLatch.create(1),
    () => sluice.EventCount.create(),
    () => sluice.Sequencer.create(),
    () => sluice.KeyedMutex.create(),
    () => sluice.LockManager.create(),
    () => sluice.Turnstile.create(),
    () => sluice.SharedWord.create(0),
    () => sluice.Semaphore.from({} as never),
    () => sluice.SeqLock.from({} as never),
    () => sluice.Once.from({} as never),
    () => sluice.Broadcast.from({} as never),
  ]) {
    const { message } = await failure(open, 'SLUICE_MISUSE');
    check(
      message.includes('"Cross-Origin-Opener-Policy: same-origin"') &&
        message.includes('"Cross-Origin-Embedder-Policy: require-corp"'),
      message,
    );
  }
}

export const jobs = { refuse: (tools: WorkerTools): Promise<void> => refuse(tools) };

export async function main(tools: MainTools): Promise<void> {
  await refuse(tools);
  await tools.start('refuse').done;
}
