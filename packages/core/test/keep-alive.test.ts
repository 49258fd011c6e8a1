import { expect, test } from 'vitest';
import { runChild } from './support/child.ts';

/** Node's exit code when the event loop is empty and a top-level await has not settled. */
const NOTHING_LEFT = 13;

const CASES: readonly (readonly [what: string, code: number, printed: string])[] = [
  ['nothing waits', 0, ''],
  ['a wait is granted later', 0, 'granted'],
  ['an unreferenced wait', NOTHING_LEFT, ''],
  ['an unreferenced wait without an await', 0, ''],
  ['a wait times out', 0, 'TimeoutError'],
  ['an unreferenced wait with a timeout', NOTHING_LEFT, ''],
  ['a wait is aborted by a timeout signal', 0, 'TimeoutError'],
  ['a referenced and an unreferenced wait', 0, 'first granted\nsecond granted'],
  ['a wait ends while an unreferenced wait continues', 0, 'TimeoutError'],
  ['a closed semaphore', 0, 'ClosedError'],
  ['a worker waits', 0, 'waits\ngranted'],
  ['a blocking wait ends by its timeout', 0, 'false'],
];

test.concurrent.each(CASES)('a process in which %s ends with code %i', async (what, code, printed) => {
  expect(await runChild('waits.mjs', what)).toEqual({ code, printed });
});

test('without shared memory the package loads, and its first use names the required headers', async () => {
  const { printed } = await runChild('hidden-memory.mjs');
  expect(printed).toContain('MisuseError');
  expect(printed).toContain('"Cross-Origin-Opener-Policy: same-origin"');
  expect(printed).toContain('"Cross-Origin-Embedder-Policy: require-corp"');
});

test('on a thread that must not block, acquire() refers to acquireAsync(), which works', async () => {
  const { printed } = await runChild('no-blocking.mjs');
  expect(printed).toMatch(/^MisuseError: .*acquireAsync.*\n0 free, 0 waiting$/);
});
