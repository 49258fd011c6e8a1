import { Arena } from '@sluice/core';
import { expect, test } from 'vitest';
import { createLimit } from '../src/index.ts';

test('waiting calls reject with a ClosedError when the limit is closed and freed at once', async () => {
  const limit = createLimit(1, { arena: Arena.create({ maxPages: 16 }) });
  let finish = (): void => undefined;
  const first = limit(() => new Promise<void>((resolve) => (finish = resolve)));
  const second = limit(() => 2);
  const outcome = second.catch((error: unknown) => error);
  await new Promise((resolve) => setImmediate(resolve));
  limit.close();
  finish();
  await first;
  limit.free();
  expect(await outcome).toMatchObject({ code: 'SLUICE_CLOSED' });
});
