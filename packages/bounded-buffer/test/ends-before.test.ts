import { expect, test } from 'vitest';
import { endsBefore } from '../src/sides/ends-before.ts';

const never = new Promise<void>(() => undefined);

test('endsBefore() returns at once for a signal that was aborted before', async () => {
  const reason = { any: 'value' };
  await expect(endsBefore(never, { signal: AbortSignal.abort(reason) }, Infinity)).rejects.toBe(reason);
  await expect(endsBefore(Promise.resolve(), { signal: AbortSignal.abort(reason) }, Infinity)).rejects.toBe(reason);
});

test('endsBefore() resolves for an abort, returns false for a timeout and true for the end', async () => {
  const controller = new AbortController();
  const waiting = endsBefore(never, { signal: controller.signal }, Infinity);
  controller.abort('enough');
  await expect(waiting).rejects.toBe('enough');
  expect([await endsBefore(never, {}, 1), await endsBefore(Promise.resolve(), {}, Infinity)]).toEqual([false, true]);
});
