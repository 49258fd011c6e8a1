// The heap that async calls leave behind: none, however long one of them is pending.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { turn } from '../../core/test/support/turn.ts';
import { BoundedBuffer } from '../src/index.ts';
import { until } from './support/until.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const CALLS = 20_000;
/** A limit in bytes: a promise kept per call would take more than 100. */
const MAX_BYTES_EACH = 50;

/** Returns the bytes of heap per call. */
async function growth(act: (calls: number) => Promise<void>): Promise<number> {
  const used = async (): Promise<number> => {
    for (let round = 0; round < 3; round++) {
      await turn();
      collect();
    }
    return process.memoryUsage().heapUsed;
  };
  // The first run compiles the code.
  await act(2000);
  const before = await used();
  await act(CALLS);
  return ((await used()) - before) / CALLS;
}

test('two loops, one of which always waits, leave no memory behind', async () => {
  const buffer = BoundedBuffer.create({ codec: 'int32', capacity: 16 });
  let seen = 0;
  const loops = [0, 1].map(async () => {
    for await (const value of buffer) seen += value;
  });
  const bytes = await growth(async (calls) => {
    for (let end = seen + calls; seen < end; ) {
      const before = seen;
      buffer.push(1);
      await until(() => seen > before);
    }
  });
  buffer.close();
  await Promise.all(loops);
  console.log(`two loops: ${bytes.toFixed(1)} bytes per value`);
  expect(bytes).toBeLessThan(MAX_BYTES_EACH);
});

test('aborted calls behind a waiting call leave no memory behind', async () => {
  const buffer = BoundedBuffer.create({ codec: 'int32', capacity: 16 });
  const first = buffer.popAsync();
  const bytes = await growth(async (calls) => {
    for (let left = calls; left > 0; left--) {
      const controller = new AbortController();
      const call = buffer.popAsync({ signal: controller.signal }).catch(() => undefined);
      controller.abort(left);
      await call;
    }
  });
  buffer.push(7);
  expect(await first).toBe(7);
  console.log(`aborted: ${bytes.toFixed(1)} bytes per call`);
  expect(bytes).toBeLessThan(MAX_BYTES_EACH);
});

test('granted calls behind a waiting call that time out leave no memory behind', async () => {
  const buffer = BoundedBuffer.create({ codec: 'int32', capacity: 16 });
  const { signal } = new AbortController();
  const first = buffer.popAsync({ signal });
  const bytes = await growth(async (calls) => {
    for (let left = calls; left > 0; left -= 1000) {
      await Promise.all(
        Array.from({ length: 1000 }, () => buffer.popAsync({ signal, timeout: 1 }).catch(() => undefined)),
      );
    }
  });
  buffer.push(7);
  expect(await first).toBe(7);
  console.log(`timed out: ${bytes.toFixed(1)} bytes per call`);
  expect(bytes).toBeLessThan(MAX_BYTES_EACH);
});
