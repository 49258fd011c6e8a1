// The first of several buffers, semaphores and events, in workers and in the main thread. What one takes, no other
// does.

import type { BoundedBufferHandle, ManualResetEventHandle, SemaphoreHandle } from 'sluice';
import { equal, failure, type MainTools, type Tools, type WorkerTools } from '../tools.ts';

const VALUES = 200;

interface Data {
  readonly urgent: BoundedBufferHandle<number>;
  readonly usual: BoundedBufferHandle<number>;
}

interface Racing {
  readonly slots: SemaphoreHandle;
  readonly over: ManualResetEventHandle;
}

/** All values that this thread takes from both buffers, until they are closed. */
async function takeAll({ sluice }: Pick<Tools, 'sluice'>, { urgent, usual }: Data): Promise<number[]> {
  const sources = [urgent, usual].map((handle) => sluice.select.take(sluice.BoundedBuffer.from(handle)));
  const values: number[] = [];
  try {
    for (;;) values.push((await sluice.selectAsync(sources, { closed: 'skip', timeout: 30_000 })).value);
  } catch (error) {
    if (!sluice.hasCode(error, 'SLUICE_CLOSED')) throw error;
    return values;
  }
}

export const jobs = {
  /** Puts each number into the buffer that has room first. */
  async fill({ sluice }: WorkerTools, { urgent, usual }: Data): Promise<void> {
    const buffers = [urgent, usual].map((handle) => sluice.BoundedBuffer.from(handle));
    for (let n = 0; n < VALUES; n++)
      await sluice.selectAsync(
        buffers.map((buffer) => sluice.select.put(buffer, n)),
        { timeout: 30_000 },
      );
    for (const buffer of buffers) buffer.close();
  },
  takeAll: (tools: WorkerTools, data: Data): Promise<number[]> => takeAll(tools, data),
  /** Returns how often it got a permit before the event was set. */
  async race({ sluice }: WorkerTools, { slots: handle, over: event }: Racing): Promise<number> {
    const [slots, over] = [sluice.Semaphore.from(handle), sluice.ManualResetEvent.from(event)];
    for (let got = 0; ; got++) {
      const { key } = await sluice.selectAsync(
        { over: sluice.select.wait(over), slot: sluice.select.acquire(slots) },
        { order: 'listed', timeout: 30_000 },
      );
      if (key === 'over') return got;
    }
  },
};

async function values(tools: MainTools): Promise<void> {
  const { sluice, arena, start } = tools;
  const [urgent, usual] = [
    sluice.BoundedBuffer.create({ codec: 'int32', capacity: 8, arena }),
    sluice.BoundedBuffer.create<number>({ ringBytes: 256, arena }),
  ];
  const data: Data = { urgent: urgent.handle, usual: usual.handle };
  const workers = [start('fill', data), start('takeAll', data)];
  const mine = await takeAll(tools, data);
  const [, theirs] = (await Promise.all(workers.map(({ done }) => done))) as [unknown, number[]];
  const all = [...mine, ...theirs].sort((one, other) => one - other);
  equal(
    all,
    Array.from({ length: VALUES }, (_, n) => n),
    'the values, each once',
  );
}

/** Permits that were granted to a loser are not lost. */
async function permits({ sluice, arena, start }: MainTools): Promise<void> {
  const [slots, over] = [
    sluice.Semaphore.create(0, { arena, recovery: false }),
    sluice.ManualResetEvent.create({ arena }),
  ];
  const workers = [0, 1].map(() => start('race', { slots: slots.handle, over: over.handle } satisfies Racing));
  for (let n = 0; n < VALUES; n++) slots.release();
  over.set();
  const got = (await Promise.all(workers.map(({ done }) => done))) as number[];
  equal(
    got.reduce((sum, each) => sum + each, slots.available),
    VALUES,
    'permits got and left',
  );

  over.reset();
  await failure(() => sluice.selectAsync([sluice.select.wait(over)], { timeout: 5 }), 'SLUICE_TIMEOUT');
  equal([over.waiting, slots.waiting], [0, 0], 'waits that are left');
}

export async function main(tools: MainTools): Promise<void> {
  await values(tools);
  await permits(tools);
}
