import { Arena, Region } from '@sluice/core';
import { scale, Session, withWorkers } from '@sluice/harness';
import { SeqLock } from '@sluice/seq-lock';
import { expect, test } from 'vitest';
import { read, replace, watch, write, type CrowdData } from './jobs/crowd.mjs';
import { fill, numberIn } from './jobs/value.mjs';

const jobs = new URL('./jobs/crowd.mjs', import.meta.url);

const CASES = [
  { byteLength: 8, writers: 1, readers: 2, order: 'turns' },
  { byteLength: 64, writers: 2, readers: 2, order: 'turns' },
  { byteLength: 256, writers: 2, readers: 2, order: 'turns' },
  { byteLength: 1024, writers: 2, readers: 2, order: 'fifo' },
  { byteLength: 8192, writers: 1, readers: 3, order: 'turns' },
] as const;

test.each(CASES)(
  'no read is torn or goes back, and no update is lost ($byteLength bytes, $writers writers, $readers readers, $order)',
  async ({ byteLength, writers, readers, order }) => {
    const session = new Session(`seq-lock of ${byteLength} bytes`);
    const arena = Arena.create({ maxPages: 16 });
    const lock = SeqLock.create({ arena, name: 'value', byteLength, order });
    lock.write((value) => fill(value, 0));
    const each = scale(byteLength > 1000 ? 2000 : 10_000);
    const beside = Region.create(4, { arena }).handle;
    const data = (operations: number): CrowdData => ({ lock: lock.handle, operations, beside });
    const failed = await withWorkers({ jobs, seed: session.seed, dump: () => lock.inspect() }, async (group) => {
      group.start<number>(readers, read.name, () => data(each * writers));
      group.start<number>(writers, write.name, () => data(each));
      return group.results<number>();
    });
    session.done(each * writers, `${failed.slice(0, readers).join(' + ')} failed attempts`);
    expect([lock.read(numberIn), lock.version]).toEqual([each * writers, each * writers + 1]);
    expect(lock.inspect()).toMatchObject({ owner: 0, waiters: [], abandoned: 0 });
    lock.free();
  },
);

test('no read is torn while threads replace the value', async () => {
  const session = new Session('seq-lock that is replaced');
  const arena = Arena.create({ maxPages: 16 });
  const lock = SeqLock.create({ arena, byteLength: 48 });
  lock.write((value) => fill(value, 0));
  const operations = scale(20_000);
  const reads = await withWorkers({ jobs, seed: session.seed, dump: () => lock.inspect() }, async (group) => {
    const data: CrowdData = { lock: lock.handle, operations, beside: Region.create(4, { arena }).handle };
    const writers = group.start<number>(2, replace.name, () => data);
    const readers = group.start<number>(2, watch.name, () => data);
    await Promise.all(writers.map(({ result }) => result));
    lock.close();
    return Promise.all(readers.map(({ result }) => result));
  });
  session.done(2 * operations, `${reads.join(' + ')} reads`);
  expect(lock.version).toBe(2 * operations + 1);
  lock.free();
});
