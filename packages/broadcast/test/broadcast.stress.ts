// Real workers that publish and subscribe, and are killed: every value is whole, in one order, and counted.

import { Session, soakSize } from '@sluice/harness';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { SPARES } from '../src/kernel/layout.ts';
import { GOT, PUBLISHED, valueOf, type Account, type Life } from './jobs/stream.mjs';
import { slotsOf, workersAtBroadcast } from './support/workers.ts';

test.each([
  ['a ring of eight', 8, 2],
  ['a ring of one', 1, 2],
  ['one publisher', 8, 1],
] as const)('followers count every value: %s', { timeout: 300_000 }, async (name, capacity, publishers) => {
  const session = new Session(`broadcast, ${name}`);
  const { stream, words, failures, start, stop, alive } = workersAtBroadcast(session, capacity);
  const followers = await Promise.all([start('follow'), start('follow')]);
  const accounts = Promise.all(followers.map(async (worker) => ((await once(worker, 'message')) as [Account])[0]));
  const others = await Promise.all(Array.from({ length: publishers }, () => start('publish')));
  await sleep(soakSize(400, 5000));
  await stop(others);
  stream.close();
  const found = await accounts;
  await Promise.all([...alive].map((worker) => once(worker, 'exit')));
  expect(failures).toEqual([]);
  expect(Atomics.load(words, PUBLISHED)).toBe(stream.published);
  expect(found.map(({ published }) => published)).toEqual(followers.map(() => stream.published));
  session.done(
    found.reduce((sum, { got }) => sum + got, 0),
    `${stream.published} published, ${found.map(({ lost }) => lost).join(' and ')} lost`,
  );
  expect([stream.waiting, slotsOf(stream)]).toEqual([
    0,
    Array.from({ length: stream.capacity + SPARES }, (_, slot) => slot),
  ]);
  stream.free();
});

test('followers get all values of two publishers in one order', { timeout: 300_000 }, async () => {
  const session = new Session('broadcast, one order');
  const rounds = soakSize(3, 30);
  for (let round = 0; round < rounds; round++) {
    const { stream, failures, start, alive } = workersAtBroadcast(session, 8192);
    const followers = await Promise.all(Array.from({ length: 3 }, () => start('follow')));
    const accounts = Promise.all(followers.map(async (worker) => ((await once(worker, 'message')) as [Account])[0]));
    // Fewer values than the capacity, so no follower can lose one.
    const publishers = await Promise.all([start('publish', 4000), start('publish', 4000)]);
    await Promise.all(publishers.filter((worker) => alive.has(worker)).map((worker) => once(worker, 'exit')));
    stream.close();
    const [first, ...others] = await accounts;
    expect(first).toMatchObject({ got: 8000, lost: 0 });
    expect(others).toEqual([first, first]);
    await Promise.all([...alive].map((worker) => once(worker, 'exit')));
    expect(failures).toEqual([]);
    stream.free();
  }
  session.done(rounds * 8000, 'values for each of three');
});

test('killed publishers and subscribers leave only whole values and lose no slot', { timeout: 300_000 }, async () => {
  const session = new Session('broadcast, killed');
  const { random } = session;
  const { arena, stream, words, alive, failures, start, stop } = workersAtBroadcast(session, 16);
  const roles = new Map<Worker, Life['role']>();
  const enter = async (role: Life['role']): Promise<void> => void roles.set(await start(role), role);
  // The first worker, so that it counts every value.
  const follower = await start('follow');
  const account = once(follower, 'message') as Promise<[Account]>;
  for (const role of ['publish', 'publish', 'visit', 'visit'] as const) await enter(role);
  const deaths = soakSize(14, 200);
  for (let death = 0; death < deaths; death++) {
    const [worker, role] = random.pick([...roles]);
    await sleep(5 + random.below(30));
    roles.delete(worker);
    await worker.terminate();
    await enter(role);
  }
  await stop([...roles.keys()]);
  // A worker that was killed between its value and its count has published one value more than it counted.
  const [said, published] = [Atomics.load(words, PUBLISHED), stream.published];
  expect([published >= said, published <= said + deaths]).toEqual([true, true]);
  for (let n = 1; n <= 100; n++) stream.publish(valueOf(1_000_000, n, n));
  stream.close();
  const [{ published: counted }] = await account;
  expect(counted).toBe(stream.published);
  await Promise.all([...alive].map((worker) => once(worker, 'exit')));
  expect(failures).toEqual([]);
  session.done(Atomics.load(words, GOT), `${published} published, ${deaths} deaths`);
  expect([stream.waiting, arena.inspect().elements.waiting, slotsOf(stream)]).toEqual([
    0,
    0,
    Array.from({ length: stream.capacity + SPARES }, (_, slot) => slot),
  ]);
  stream.free();
});
