import { Arena } from '@sluice/core';
import { expect, test } from 'vitest';
import { BoundedBuffer } from '../src/index.ts';

test('waiting calls throw ClosedError when their buffer is closed and freed at once', async () => {
  const arena = Arena.create({ maxPages: 16 });
  const empty = BoundedBuffer.create({ capacity: 2, codec: 'int32', arena });
  const full = BoundedBuffer.create({ capacity: 1, codec: 'int32', arena });
  full.push(1);
  const endings = Promise.allSettled([
    empty.popAsync(),
    empty.popAsync({ timeout: 60_000 }),
    full.pushAsync(2),
    full.pushAsync(3),
  ]);
  for (const buffer of [empty, full]) {
    buffer.close();
    buffer.free();
  }
  for (const ending of await endings)
    expect(ending).toMatchObject({ status: 'rejected', reason: { code: 'SLUICE_CLOSED' } });
});
