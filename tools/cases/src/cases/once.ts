// What happens once for all threads: an event that is set, an initialiser, a value.

import type { LazyHandle, ManualResetEventHandle, OnceHandle, RegionHandle } from 'sluice';
import { equal, failure, rest, sleep, type MainTools, type WorkerTools } from '../tools.ts';

const WORKERS = 3;
const WRITTEN = 42;

interface Config {
  readonly port: number;
  readonly by: number;
}

interface Data {
  readonly ready: ManualResetEventHandle;
  readonly built: OnceHandle;
  readonly config: LazyHandle<Config>;
  /** The value that was written before the event was set; how many initialisers ran, and how many computed the value. */
  readonly words: RegionHandle;
}

export const jobs = {
  /** Returns the value. */
  begin({ sluice, arena }: WorkerTools, { ready, built, config, words }: Data): Config {
    const { int32 } = sluice.Region.from(words);
    sluice.ManualResetEvent.from(ready).wait();
    equal(int32[0], WRITTEN, 'what was written before the event was set');
    sluice.Once.from(built).run(() => {
      const before = int32[1] ?? 0;
      rest();
      int32[1] = before + 1;
    });
    equal(int32[1], 1, 'initialisers that ran');
    return sluice.Lazy.from(config).get(() => {
      int32[2] = (int32[2] ?? 0) + 1;
      return { port: 8080, by: arena.agentId };
    });
  },
};

async function together({ sluice, arena, start }: MainTools): Promise<void> {
  const words = sluice.Region.create(12, { arena });
  const { int32 } = words;
  const [ready, built] = [sluice.ManualResetEvent.create({ arena }), sluice.Once.create({ arena })];
  const config = sluice.Lazy.create<Config>({ arena, capacity: 256 });
  const data: Data = { ready: ready.handle, built: built.handle, config: config.handle, words: words.handle };
  const workers = Array.from({ length: WORKERS }, () => start('begin', data));
  int32[0] = WRITTEN;
  ready.set();
  await built.runAsync(
    async () => {
      const before = int32[1] ?? 0;
      await sleep(1);
      int32[1] = before + 1;
    },
    { timeout: 30_000 },
  );
  equal([int32[1], built.isDone], [1, true], 'initialisers that ran, in the main thread');
  const own = await config.getAsync(
    () => {
      int32[2] = (int32[2] ?? 0) + 1;
      return { port: 8080, by: arena.agentId };
    },
    { timeout: 30_000 },
  );
  const theirs = await Promise.all(workers.map(({ done }) => done));
  equal(
    theirs,
    theirs.map(() => own),
    'the one value',
  );
  equal(int32[2], 1, 'threads that computed it');
}

async function again({ sluice, arena }: MainTools): Promise<void> {
  const built = sluice.Once.create({ arena });
  await failure(() => built.runAsync(() => Promise.reject(new RangeError('no connection'))), 'RangeError');
  equal([built.isDone, built.inspect().failures], [false, 1], 'after a failure');
  await built.runAsync(() => undefined);
  equal(built.isDone, true, 'after the second attempt');

  const gate = sluice.ManualResetEvent.create({ arena, isSet: true });
  equal([gate.tryWait(), gate.reset(), gate.tryWait()], [true, true, false], 'a gate that closes');
  const waits = [gate.waitAsync(), gate.waitAsync({ timeout: 30_000 })];
  gate.set();
  gate.reset();
  await Promise.all(waits);
  equal([gate.isSet, gate.waiting], [false, 0], 'a gate that opened for a moment');
}

export async function main(tools: MainTools): Promise<void> {
  await together(tools);
  await again(tools);
}
