// The order of waiters that an MCS lock reports. Its waiters draw no tickets.

import { Arena } from '@sluice/core';
import { expect, test, vi } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { McsLock } from '../src/index.ts';

const messageOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'it was locked',
    (failure: unknown) => (failure as Error).message,
  );

test('the error of a wait that times out counts no waiter that arrived after it in the same ms', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  const arena = Arena.create({ maxPages: 16 });
  const lock = McsLock.create({ arena });
  const theirs = openAs(secondAgent(arena), lock.handle, (handle) => McsLock.from(handle));
  theirs.lock();
  const stop = new AbortController();
  const [first, second] = [lock.lockAsync({ timeout: 1 }), lock.lockAsync({ timeout: 2 })].map(messageOf);
  const behind = messageOf(theirs.lockAsync({ signal: stop.signal }));
  await vi.advanceTimersByTimeAsync(1);
  expect(await first).toContain('next in line');
  // The place of the first waiter is a tombstone.
  await vi.advanceTimersByTimeAsync(1);
  expect(await second).toContain('next in line');
  const third = messageOf(lock.lockAsync({ timeout: 1 }));
  await vi.advanceTimersByTimeAsync(1);
  expect(await third).toContain('next in line');
  stop.abort(new Error('enough'));
  await behind;
  theirs.unlock();
  vi.useRealTimers();
});
