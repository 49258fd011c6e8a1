// The entry of the buffer that needs another package: served as an installation has it.

import type { BoundedBufferHandle, Codec } from '@sluice/all';
import { equal, type PageTools, type WorkerTools } from '../tools.ts';

const ENTRY = '../node_modules/@sluice/bounded-buffer/dist/browser/msgpack.js';
const VALUE = { when: new Date(0), set: new Set([1, 'two']), big: 2n ** 40n };

async function codec(): Promise<Codec<typeof VALUE>> {
  const { msgpack } = (await import(ENTRY)) as { msgpack: () => Codec<typeof VALUE> };
  return msgpack();
}

export const jobs = {
  async put({ sluice }: WorkerTools, handle: BoundedBufferHandle): Promise<void> {
    sluice.BoundedBuffer.from(handle, { codec: await codec() }).push(VALUE);
  },
};

export async function page({ sluice, arena, start }: PageTools): Promise<void> {
  const buffer = sluice.BoundedBuffer.create({ codec: await codec(), ringBytes: 1024, arena });
  const { done } = start('put', buffer.handle);
  const { when, set, big } = await buffer.popAsync({ timeout: 30_000 });
  equal([when.getTime(), [...set], String(big)], [0, [1, 'two'], '1099511627776'], 'the value');
  await done;
}
