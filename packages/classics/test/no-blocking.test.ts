// An agent that may not block, such as the main thread of a browser.

import { MisuseError } from '@sluice/core';
import { describe, expect, test, vi } from 'vitest';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { Bench } from '../../core/test/support/owned-lock/bench.ts';
import { KINDS } from './support/kinds.ts';

vi.mock('../../core/src/agent/parking.ts', async (original) => ({
  ...(await original<object>()),
  mayBlock: () => false,
}));

const bench = new Bench();

describe.each(KINDS)('$what', (kind) => {
  test('blocking calls throw, even on a free lock, and non-blocking calls work', async () => {
    const { ours, theirs } = bench.create(kind);
    for (const call of [() => ours.lock(), () => ours.hold()]) {
      expect(call).toThrow(MisuseError);
      expect(call).toThrow('This thread may not block');
    }
    expect([ours.inspect().owner, ours.tryLock()]).toEqual([0, true]);
    expect(() => theirs.tryLock(5)).toThrow('This thread may not block');
    expect([theirs.tryLock(), theirs.inspect()]).toMatchObject([false, { waiters: [], abandoned: 0 }]);
    const wait = theirs.lockAsync();
    ours.unlock();
    await wait;
    theirs.unlock();
    expectAtRest(bench.arena, ours.handle);
  });
});
