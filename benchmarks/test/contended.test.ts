import { expect, test } from 'vitest';
import { waitsOf } from '../src/lib/contended.mjs';
import { within } from '../src/lib/sleep.mjs';

test('a run that times waits and fails is reported, and is no error of the scenario', async () => {
  const reasons: string[] = [];
  const timed = { subject: 'no such subject' as never, workers: 1, seconds: 0.1, warmUpSeconds: 0, waits: true };
  expect(await waitsOf(timed, {}, (reason) => reasons.push(reason))).toBeNull();
  expect(reasons).toHaveLength(1);
});

test('a job that gets no further says where it stood', async () => {
  await expect(within(new Promise(() => undefined), 1, () => '3 of 4 workers started')).rejects.toThrow(
    'after 1 ms, 3 of 4 workers started',
  );
  expect(await within(Promise.resolve(5), 60_000, () => '')).toBe(5);
});
