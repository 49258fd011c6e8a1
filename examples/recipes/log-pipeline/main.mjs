import { BoundedBuffer } from 'sluice';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { Log } from './log.mjs';

if (isMainThread) {
  const folder = mkdtempSync(join(tmpdir(), 'log-'));
  const path = join(folder, 'app.log');
  const lines = BoundedBuffer.create({ codec: 'json', ringBytes: 16 * 1024, name: 'log' });

  const writer = new Worker(new URL('./writer.mjs', import.meta.url), { workerData: { lines: lines.handle, path } });
  const ended = once(writer, 'exit');
  const workers = ['a', 'b'].map(
    (source) => new Worker(new URL(import.meta.url), { workerData: { source, lines: lines.handle } }),
  );
  // a worker that is killed in the middle of a push blocks none
  for (const worker of [writer, ...workers]) lines.arena.watch(worker);

  await Promise.all(workers.map((worker) => once(worker, 'exit')));
  await lines.closeAsync();
  await ended;

  const text = readFileSync(path, 'utf8');
  const written = text.trimEnd().split('\n').length;
  const dropped = [...text.matchAll(/\((\d+) dropped\)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  console.log(`written and dropped: ${written + dropped}`);
  rmSync(folder, { recursive: true });
} else {
  const log = new Log(workerData.lines, workerData.source);
  for (let n = 0; n < 5000; n++) log.info(`message ${n}`);
  log.end();
}
