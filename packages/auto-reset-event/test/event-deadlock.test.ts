// An agent that would block behind its own async wait, which cannot settle while the agent is blocked.

import { Arena, DeadlockError } from '@sluice/core';
import { expect, test } from 'vitest';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { AutoResetEvent } from '../src/index.ts';

const arena = Arena.create({ maxPages: 16 });

test('wait() behind an async wait of its agent throws a DeadlockError, and the async wait stays', async () => {
  const event = AutoResetEvent.create({ arena });
  const wait = event.waitAsync();
  const twin = AutoResetEvent.from(event.handle);
  for (const blocked of [() => event.wait(), () => event.tryWait(Infinity), () => twin.wait()]) {
    expect(blocked).toThrow(DeadlockError);
  }
  expect(event.inspect()).toMatchObject({ waiters: [{ kind: 'async' }], abandoned: 0 });
  event.signal();
  await wait;
  expect(event.tryWait()).toBe(false);
  expectAtRest(arena, event.handle);
});

test('wait() throws a DeadlockError when the async wait was granted a signal and its task has not run yet', async () => {
  const event = AutoResetEvent.create({ arena });
  const wait = event.waitAsync();
  event.signal();
  expect(() => event.wait()).toThrow(DeadlockError);
  await wait;
  expect(event.tryWait()).toBe(false);
  expectAtRest(arena, event.handle);
});

test('wait() consumes a kept signal while its agent has an async wait for another event, or a granted one for this event', async () => {
  const [one, other] = [AutoResetEvent.create({ arena }), AutoResetEvent.create({ arena })];
  const wait = one.waitAsync();
  other.signal();
  other.wait();
  one.signal();
  one.signal();
  one.wait();
  await wait;
  for (const event of [one, other]) expectAtRest(arena, event.handle);
});

test('tryWait(ms) may block behind an async wait of its agent, since its timeout ends it', async () => {
  const event = AutoResetEvent.create({ arena });
  const wait = event.waitAsync();
  expect(event.tryWait(3)).toBe(false);
  event.signal();
  await wait;
  expectAtRest(arena, event.handle);
});
