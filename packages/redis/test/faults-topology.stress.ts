// Tests a cluster whose slot moves, and a replica that takes over.

import { findProgram, startCluster, startWatched } from '@sluice/redis-server';
import { Cluster, Redis } from 'ioredis';
import { createCluster, createSentinel } from 'redis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect, type RedisClient, type Space } from '@sluice/redis';
import { faultSize, seen } from '../../remote/test/faults/seen.ts';
import { until, type Library } from './support/server.ts';

const TIME_MS = 240_000;
const LIBRARIES: readonly Library[] = ['redis', 'ioredis'];
const none = findProgram().kind === 'none';
const open = (client: RedisClient, lease: number): Promise<Space> =>
  connect(client, { namespace: 'moves', lease, onWarning: () => undefined });

function clusterClient(library: Library, ports: readonly number[]): RedisClient {
  if (library === 'redis')
    return createCluster({ rootNodes: ports.map((port) => ({ url: `redis://127.0.0.1:${port}` })) });
  return new Cluster(
    ports.map((port) => ({ host: '127.0.0.1', port })),
    { lazyConnect: true },
  );
}

function watchedClient(library: Library, name: string, port: number): RedisClient {
  const sentinels = [{ host: '127.0.0.1', port }];
  if (library === 'redis') return createSentinel({ name, sentinelRootNodes: sentinels, scanInterval: 100 });
  return new Redis({ sentinels, name, lazyConnect: true, sentinelRetryStrategy: () => 50, retryStrategy: () => 50 });
}

/** Sessions that pass one mutex on until they are stopped. */
class Traffic {
  passes = 0;
  longestMs = 0;
  readonly failures: string[] = [];
  #inside = 0;
  #last = performance.now();
  #token = 0n;
  #over = false;
  readonly #spaces: readonly Space[];
  readonly #all: Promise<unknown>;

  constructor(spaces: readonly Space[]) {
    this.#spaces = spaces;
    this.#all = Promise.all(spaces.map((space) => this.#pass(space)));
  }

  forget(): void {
    this.#last = performance.now();
    this.longestMs = 0;
  }

  /** Waits for that many more passes. A failed pass gives the reason if they do not happen. */
  async until(passes: number, limitMs?: number): Promise<void> {
    const end = this.passes + passes;
    try {
      await until('hand-overs', () => this.failures.length > 0 || this.passes > end, limitMs);
    } catch (cause) {
      const channels = await Promise.all(this.#spaces.map(async (space) => (await space.session()).counts));
      throw new Error(`${this.passes} of ${end} passes; channels: ${JSON.stringify(channels)}`, { cause });
    }
    expect(this.failures).toEqual([]);
  }

  async stop(): Promise<void> {
    this.#over = true;
    await this.#all;
  }

  async #pass(space: Space): Promise<void> {
    while (!this.#over) {
      try {
        await space.mutex('m').runAsync(async ({ fencingToken }) => {
          if (++this.#inside > 1) this.failures.push('two sessions hold the mutex');
          if (fencingToken <= this.#token) this.failures.push(`token ${fencingToken} after ${this.#token}`);
          this.#token = fencingToken;
          this.passes++;
          this.longestMs = Math.max(this.longestMs, performance.now() - this.#last);
          this.#last = performance.now();
          await new Promise((resolve) => setTimeout(resolve, 1));
          this.#inside--;
        });
      } catch (failure) {
        this.failures.push(String(failure));
        return;
      }
    }
  }
}

describe.skipIf(none)('a cluster of three masters', () => {
  for (const library of LIBRARIES) {
    test(`no client fails, hangs or enters twice while a slot moves under load, and hand-overs continue, through ${library}`, {
      timeout: TIME_MS,
    }, async () => {
      const lease = 6000;
      const cluster = await startCluster();
      onTestFinished(() => cluster.stop());
      const spaces = await Promise.all([1, 2].map(() => open(clusterClient(library, cluster.ports), lease)));
      const traffic = new Traffic([...spaces, ...spaces]);
      await traffic.until(100);
      for (let move = 0; move < faultSize(1, 3); move++) {
        traffic.forget();
        const before = traffic.passes;
        await cluster.move('sl:{moves}');
        // The session finds that a channel which the library lost is silent, and subscribes again. Then messages hand
        // over again, many per lease.
        await traffic.until(300);
        seen(
          'A cluster moves the slot of the namespace',
          `${library}: ${traffic.passes - before} hand-overs since, 0 errors, 0 double, longest gap ${traffic.longestMs.toFixed(0)} ms, lease ${lease} ms`,
          { text: 'no gap longer than a third of the lease', isMet: traffic.longestMs <= lease / 3 },
        );
      }
      await traffic.stop();
      expect(traffic.failures).toEqual([]);
      await Promise.all(spaces.map((space) => space.close()));
    });
  }
});

// Only where the faults are repeated: the lease must not end before the sentinels agree, and a busy machine cannot
// promise that.
describe.skipIf(none || process.env['SLUICE_FAULTS'] === undefined)('a sentinel', () => {
  for (const library of LIBRARIES) {
    test(`a replica that takes over from a killed master keeps the copied state of the holder, and grants the next waiter, through ${library}`, {
      timeout: TIME_MS,
    }, async () => {
      const lease = 8000;
      const watched = await startWatched();
      onTestFinished(() => watched.stop());
      const [a, b] = (await Promise.all(
        [1, 2].map(() => open(watchedClient(library, watched.name, watched.port), lease)),
      )) as [Space, Space];
      const guard = await a.mutex('m').holdAsync();
      const waiting = b.mutex('m').holdAsync();
      await until('it waits', async () => (await a.mutex('m').inspect()).waiters.length === 1);
      await watched.copied();
      const began = performance.now();
      await watched.master.kill();
      await watched.promoted();
      const tookOver = performance.now() - began;
      const next = await Promise.all([waiting, guard.release()]).then(([granted]) => granted);
      const handedOver = performance.now() - began;
      expect(next.fencingToken).toBeGreaterThan(guard.fencingToken);
      expect(guard.signal.aborted).toBe(false);
      await next.release();
      seen(
        'A sentinel lets a replica take over',
        `${library}: took over after ${tookOver.toFixed(0)} ms, lock and place in line kept, handed over after ${handedOver.toFixed(0)} ms, lease ${lease} ms`,
      );
      await Promise.all([a.close(), b.close()]);
    });
  }
});
