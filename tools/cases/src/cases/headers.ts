// A page that is served without the two headers: every way in says which headers are missing, on the page and in a worker.

import { check, equal, failure, type MainTools, type Tools, type WorkerTools } from '../tools.ts';

async function refuse({ sluice }: Pick<Tools, 'sluice'>): Promise<void> {
  equal(typeof SharedArrayBuffer, 'undefined', 'SharedArrayBuffer');
  for (const open of [
    () => sluice.Arena.create(), () => sluice.Arena.default(), () => sluice.Semaphore.create(1), () => sluice.Mutex.create(), () => sluice.createLimit(1),
    () => sluice.Arena.create({ engine: sluice.jsEngine }), () => sluice.BoundedBuffer.create({ codec: 'int32' }), () => sluice.Region.create(4),
    () => sluice.Semaphore.from({} as never),
  ]) {
    const { message } = await failure(open, 'SLUICE_MISUSE');
    check(message.includes('"Cross-Origin-Opener-Policy: same-origin"') && message.includes('"Cross-Origin-Embedder-Policy: require-corp"'), message);
  }
}

export const jobs = { refuse: (tools: WorkerTools): Promise<void> => refuse(tools) };

export async function main(tools: MainTools): Promise<void> {
  await refuse(tools);
  await tools.start('refuse').done;
}
