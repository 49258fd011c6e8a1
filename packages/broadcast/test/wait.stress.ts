// Real workers at a broadcast with overflow 'wait' that are killed: no follower loses a value, and publishers continue
// after every death.

import { Session, soakSize } from '@sluice/harness';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { SPARES } from '../src/kernel/layout.ts';
import { PUBLISHED, valueOf, type Account, type Life } from './jobs/stream.mjs';
import { slotsOf, workersAtBroadcast } from './support/workers.ts';

const accountsOf = (followers: readonly Worker[]): Promise<Account[]> =>
  Promise.all(followers.map(async (worker) => ((await once(worker, 'message')) as [Account])[0]));

test.each([
  ['a ring of eight', 8, 2],
  ['a ring of one', 1, 2],
  ['one publisher', 8, 1],
] as const)('followers get every value in one order: %s', { timeout: 300_000 }, async (name, capacity, publishers) => {
  const session = new Session(`broadcast that waits, ${name}`);
  const { stream, words, failures, start, stop, alive } = workersAtBroadcast(session, capacity, 'wait');
  const followers = await Promise.all([start('follow'), start('follow'), start('follow')]);
  const accounts = accountsOf(followers);
  const others = await Promise.all(Array.from({ length: publishers }, () => start('publish')));
  await sleep(soakSize(400, 5000));
  await stop(others);
  stream.close();
  const [first, ...rest] = await accounts;
  await Promise.all([...alive].map((worker) => once(worker, 'exit')));
  expect(failures).toEqual([]);
  expect(Atomics.load(words, PUBLISHED)).toBe(stream.published);
  expect(first).toMatchObject({ got: stream.published, lost: 0 });
  expect(rest).toEqual([first, first]);
  session.done(3 * stream.published, `${stream.published} published`);
  expect([stream.waiting, slotsOf(stream)]).toEqual([
    0,
    Array.from({ length: stream.capacity + SPARES }, (_, slot) => slot),
  ]);
  stream.free();
});

test('publishers continue after slow subscribers and other publishers are killed, and no follower loses a value', {
  timeout: 300_000,
}, async () => {
  const session = new Session('broadcast that waits, killed');
  const { random } = session;
  const { arena, stream, words, alive, failures, start, stop } = workersAtBroadcast(session, 4, 'wait');
  const roles = new Map<Worker, Life['role']>();
  const enter = async (role: Life['role']): Promise<void> => void roles.set(await start(role), role);
  // The first workers, so that they get every value.
  const followers = [await start('follow'), await start('follow')];
  const accounts = accountsOf(followers);
  for (const role of ['publish', 'publish', 'idle', 'visit'] as const) await enter(role);
  const deaths = soakSize(16, 200);
  for (let death = 0; death < deaths; death++) {
    // A worker that has subscribed and reads nothing: publishers wait for it until it is dead.
    const [worker, role] = random.pick([...roles].filter(([, each]) => each === 'idle' || death % 2 === 0));
    await sleep(5 + random.below(30));
    roles.delete(worker);
    await worker.terminate();
    await enter(role);
  }
  const before = stream.published;
  for (const [worker, role] of roles) if (role === 'idle') await worker.terminate();
  while (stream.published < before + 50) await sleep(1);
  await stop([...roles].filter(([, role]) => role !== 'idle').map(([worker]) => worker));
  const [said, published] = [Atomics.load(words, PUBLISHED), stream.published];
  // A worker that was killed between its value and its count has published one value more than it counted.
  expect([published >= said, published <= said + deaths]).toEqual([true, true]);
  for (let n = 1; n <= 100; n++) await stream.publishAsync(valueOf(1_000_000, n, n));
  stream.close();
  const [first, second] = await accounts;
  expect(first).toMatchObject({ got: stream.published, lost: 0 });
  expect(second).toEqual(first);
  await Promise.all([...alive].map((worker) => once(worker, 'exit')));
  expect(failures).toEqual([]);
  session.done(2 * published, `${published} published, ${deaths} deaths`);
  expect([stream.waiting, stream.inspect().subscriptions, arena.inspect().elements.waiting]).toEqual([0, [], 0]);
  expect(slotsOf(stream)).toEqual(Array.from({ length: stream.capacity + SPARES }, (_, slot) => slot));
  stream.free();
});
