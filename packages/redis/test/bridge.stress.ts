// Tests workers behind the bridges of several spaces, which stand for processes, on a real server.

import { Arena, Region } from '@sluice/core';
import { Session, shortOf, withWorkers } from '@sluice/harness';
import { expect } from 'vitest';
import { connect, type Bridge, type Space } from '@sluice/redis';
import { INSIDE, MOST, pass, PASSES, take, type BridgeData } from './jobs/bridge.mjs';
import { clientOf, failureOf, onServer, until } from './support/server.ts';

const jobs = new URL('./jobs/bridge.mjs', import.meta.url);
const open = (url: string, namespace: string, lease = 10_000): Promise<Space> =>
  connect(clientOf('redis', url), { namespace, lease, onWarning: () => undefined });

interface Fixture {
  readonly arena: Arena;
  readonly words: Int32Array;
  readonly data: (bridge: Bridge, rounds: number) => BridgeData;
}

function fixture(): Fixture {
  const arena = Arena.create({ maxPages: 1024 });
  const region = Region.create(16, { arena });
  return {
    arena,
    words: region.int32,
    data: (bridge, rounds) => ({ bridge: bridge.handle, words: region.handle, rounds }),
  };
}

onServer('workers behind bridges', (it) => {
  for (const [permits, weight] of [
    [1, 1],
    [5, 1],
    [5, 2],
  ] as const) {
    it(`two bridges to ${permits} permits, ${weight} at a time, and a third process never exceed the permits, and all calls pass`, async ({
      url,
      namespace,
    }) => {
      const session = new Session(`bridges to ${permits}, ${weight} at a time`);
      const { arena, words, data } = fixture();
      const spaces = await Promise.all([open(url, namespace), open(url, namespace)]);
      const third = await open(url, namespace);
      const bridges = spaces.map((space) =>
        space.bridge(space.semaphore('db', permits), { weight, linger: 20, arena }),
      );
      const rounds = shortOf(1500);
      let remote = 0;
      await withWorkers({ jobs, seed: session.seed, dump: () => arena.inspect() }, async (group) => {
        group.start(4, pass.name, (index) => data(bridges[index % 2] as Bridge, rounds));
        // The third process acquires its permits without a bridge and must not starve.
        const semaphore = third.semaphore('db', permits);
        while (group.jobs.some(({ done }) => !done)) {
          await semaphore.runAsync(() => {
            remote++;
            const inside = Atomics.add(words, INSIDE, 1) + 1;
            if (inside > Atomics.load(words, MOST)) Atomics.store(words, MOST, inside);
            Atomics.sub(words, INSIDE, 1);
          }, weight);
        }
        await group.results();
      });
      session.done(words[PASSES] ?? 0, `${remote} of the third process, at most ${words[MOST]} inside`);
      expect(words[INSIDE]).toBe(0);
      expect(words[MOST]).toBeLessThanOrEqual(Math.floor(permits / weight));
      expect(remote).toBeGreaterThan(2);
      await Promise.all(bridges.map((bridge) => bridge.close()));
      const last = third.semaphore('db', permits);
      await until('all permits are free', async () => (await last.available) === permits);
      await Promise.all([...spaces, third].map((space) => space.close()));
    }, 240_000);
  }

  it('the permit of a killed worker goes to the next one', async ({ url, namespace }) => {
    const { arena, data } = fixture();
    const space = await open(url, namespace);
    const bridge = space.bridge(space.semaphore('db', 1), { arena });
    await withWorkers({ jobs, seed: 1, dump: () => arena.inspect() }, async (group) => {
      const [first] = group.start(1, take.name, () => data(bridge, 0));
      await group.said('taken');
      arena.watch(first?.worker as never);
      const [second] = group.start(1, take.name, () => data(bridge, 0));
      first?.result.catch(() => undefined);
      group.failure.catch(() => undefined);
      void first?.worker.terminate();
      await until('the second worker has the permit', () => second?.said === 'taken');
    }).catch((failure: unknown) => {
      // The group reports the worker that this test ended.
      if (!String(failure).includes('ended')) throw failure;
    });
    await space.close();
  });

  it('a lost lease closes the bridge, and waiting workers and later callers get an error', async ({
    url,
    namespace,
    command,
  }) => {
    const arena = Arena.create({ maxPages: 1024 });
    const space = await open(url, namespace, 3000);
    const bridge = space.bridge(space.semaphore('db', 1), { arena });
    const { BridgedSemaphore } = await import('@sluice/redis');
    const semaphore = BridgedSemaphore.from(bridge.handle);
    await semaphore.acquireAsync();
    semaphore.assertHeld();
    const waiting = failureOf(semaphore.acquireAsync());
    await command('FLUSHALL');
    expect((await waiting).code).toBe('SLUICE_CLOSED');
    expect(() => semaphore.assertHeld()).toThrow("Bridge to Semaphore 'db': the lease was not renewed in time");
    expect((await failureOf(semaphore.acquireAsync())).code).toBe('SLUICE_CLOSED');
    await space.close();
  });
});
