// The worker pool: results, errors, back-pressure, an abort, and a worker that ends.

import type * as Pool from '@sluice/worker-pool';
import { equal, failure, type MainTools } from '../tools.ts';

const TASKS = 200;

export async function main({ load, fileOf }: MainTools): Promise<void> {
  const { WorkerPool } = (await load('@sluice/worker-pool')) as typeof Pool;
  const pool = new WorkerPool({ filename: fileOf('pool-tasks.mjs'), size: 2, maxQueue: 4 });
  const inputs = Array.from({ length: TASKS }, (_, n) => n);
  equal(
    await pool.map(inputs, { name: 'square' }),
    inputs.map((n) => n * n),
    'the results',
  );
  const streamed: unknown[] = [];
  for await (const output of pool.stream(inputs, { name: 'square' })) streamed.push(output);
  equal(
    streamed,
    inputs.map((n) => n * n),
    'the outputs of a stream',
  );
  equal(
    await pool.scope((scope) => Promise.all([scope.run(5, { name: 'square' }), scope.run(6, { name: 'square' })])),
    [25, 36],
    'the tasks of a scope',
  );
  const value = { when: new Date(0), set: new Set(['one']), bytes: Uint8Array.of(1, 2, 3) };
  const back = (await pool.run(value, { name: 'echo' })) as typeof value;
  equal([back.when.getTime(), [...back.set], [...back.bytes]], [0, ['one'], [1, 2, 3]], 'a value there and back');
  const { message } = await failure(() => pool.run('no such thing', { name: 'fail' }), 'RangeError');
  equal(message, 'no such thing', 'the error of a task');
  await failure(() => pool.run(0, { name: 'spin', timeout: 50 }), 'SLUICE_TIMEOUT');
  await failure(() => pool.run(0, { name: 'die' }), 'SLUICE_WORKER_DIED');
  equal(await pool.run(7, { name: 'square' }), 49, 'after a death');
  await pool.close();
}
