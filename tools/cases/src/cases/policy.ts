// A page whose policy forbids WebAssembly: the error says what to do, and that works.

import type { SemaphoreHandle } from 'sluice';
import { check, equal, failure, jsOptions, type MainTools, type Tools, type WorkerTools } from '../tools.ts';

/** The smallest module. WebKit compiles it, and refuses to run it. */
const EMPTY = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0);
const runs = (): unknown => new WebAssembly.Instance(new WebAssembly.Module(EMPTY));

async function refuse({ sluice }: Pick<Tools, 'sluice'>): Promise<void> {
  await failure(runs, 'CompileError');
  const { message } = await failure(() => sluice.Arena.create(), 'SLUICE_MISUSE');
  check(message.includes("import { jsEngine } from 'sluice/js'"), message);
}

export const jobs = {
  async refuse({ sluice, load }: WorkerTools, handle: SemaphoreHandle): Promise<string> {
    await refuse({ sluice });
    const { message } = await failure(() => sluice.Semaphore.from(handle), 'SLUICE_MISUSE');
    check(message.includes('engine: jsEngine'), message);
    const semaphore = sluice.Arena.from({ ...handle, kind: 'sluice.arena' }, await jsOptions(load));
    sluice.Semaphore.from(handle).release();
    return semaphore.engine;
  },
};

export async function main({ sluice, load, start }: MainTools): Promise<void> {
  await refuse({ sluice });
  const arena = sluice.Arena.create(await jsOptions(load));
  equal(arena.engine, 'js', 'the engine');
  const semaphore = sluice.Semaphore.create(0, { arena });
  const { done } = start('refuse', semaphore.handle);
  await semaphore.acquireAsync(1, { timeout: 30_000 });
  equal(await done, 'js', "the worker's engine");
}
