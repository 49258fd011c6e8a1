import { BoundedBuffer } from 'sluice';
import { toReadable, toWritable } from '@sluice/bounded-buffer/node-streams';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { createGunzip, createGzip } from 'node:zlib';

const LINES = 20_000;

if (isMainThread) {
  const plain = BoundedBuffer.create({ codec: 'bytes', ringBytes: 64 * 1024, name: 'plain' });
  const packed = BoundedBuffer.create({ codec: 'bytes', ringBytes: 64 * 1024, name: 'packed' });
  const worker = new Worker(new URL(import.meta.url), { workerData: { plain: plain.handle, packed: packed.handle } });
  plain.arena.watch(worker);

  const lines = Readable.from(
    (function* () {
      for (let n = 0; n < LINES; n++) yield Buffer.from(`line ${n}\n`);
    })(),
  );
  const written = pipeline(lines, toWritable(plain)); // waits while the worker is behind; closes `plain` at its end

  let text = '';
  await pipeline(toReadable(packed), createGunzip(), async (chunks) => {
    for await (const chunk of chunks) text += chunk;
  });
  await written;
  console.log(`${text.trimEnd().split('\n').length} lines, compressed by another thread`);
} else {
  const plain = BoundedBuffer.from(workerData.plain);
  const packed = BoundedBuffer.from(workerData.packed);
  await pipeline(toReadable(plain), createGzip(), toWritable(packed));
}
