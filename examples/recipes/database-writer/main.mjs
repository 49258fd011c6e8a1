import { BoundedBuffer } from 'sluice';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

if (isMainThread) {
  const folder = mkdtempSync(join(tmpdir(), 'writer-'));
  const rows = BoundedBuffer.create({ codec: 'json', ringBytes: 64 * 1024, name: 'rows' });

  const writer = new Worker(new URL('./writer.mjs', import.meta.url), {
    workerData: { rows: rows.handle, path: join(folder, 'data') },
  });
  const written = once(writer, 'message');
  const ended = once(writer, 'exit');
  const workers = [1, 2, 3].map(
    (id) => new Worker(new URL(import.meta.url), { workerData: { id, rows: rows.handle } }),
  );
  for (const worker of [writer, ...workers]) rows.arena.watch(worker);

  await Promise.all(workers.map((worker) => once(worker, 'exit')));
  await rows.closeAsync(); // the writer takes the rows that are left, then ends
  const [{ rows: count, transactions }] = await written;
  console.log(`${count} rows; fewer transactions than rows: ${transactions < count}`);
  await ended;
  rmSync(folder, { recursive: true });
} else {
  const { id } = workerData;
  const rows = BoundedBuffer.from(workerData.rows);
  for (let value = 0; value < 1000; value++) rows.push({ worker: id, value }); // waits while the writer is behind
}
