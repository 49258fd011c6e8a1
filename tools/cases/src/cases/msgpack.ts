// The entry of the buffer that needs another package.

import type { BoundedBufferHandle, Codec } from 'sluice';
import { equal, type MainTools, type Tools, type WorkerTools } from '../tools.ts';

const VALUE = { when: new Date(0), set: new Set([1, 'two']), big: 2n ** 40n };

async function codec({ load }: Pick<Tools, 'load'>): Promise<Codec<typeof VALUE>> {
  const { msgpack } = (await load('@sluice/bounded-buffer/msgpack')) as { msgpack: () => Codec<typeof VALUE> };
  return msgpack();
}

export const jobs = {
  async put(tools: WorkerTools, handle: BoundedBufferHandle): Promise<void> {
    tools.sluice.BoundedBuffer.from(handle, { codec: await codec(tools) }).push(VALUE);
  },
};

export async function main(tools: MainTools): Promise<void> {
  const { sluice, arena, start } = tools;
  const buffer = sluice.BoundedBuffer.create({ codec: await codec(tools), ringBytes: 1024, arena });
  const { done } = start('put', buffer.handle);
  const { when, set, big } = await buffer.popAsync({ timeout: 30_000 });
  equal([when.getTime(), [...set], String(big)], [0, [1, 'two'], '1099511627776'], 'the value');
  await done;
}
