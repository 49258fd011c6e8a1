// Runs the programs and the suites that every engine runs.

import { Barrier, CountdownLatch } from '@sluice/barrier';
import { remoteSemaphoreSuite, type Counts, type SteppedSemaphore } from '@sluice/conformance';
import { Semaphore, type WaitOptions } from '@sluice/core';
import { Lazy, Once } from '@sluice/event';
import { RateLimiter } from '@sluice/limit';
import { KeyedMutex } from '@sluice/named';
import type { RemoteSemaphore } from '@sluice/postgres';
import { expect } from 'vitest';
import {
  keys,
  KEYS,
  lazies,
  LAZIES,
  onces,
  ONCES,
  RATE,
  rates,
  RATES,
} from '../../remote/test/programs/in-memory-or-remote.ts';
import { failures, JOBS, jobs, runners } from '../../remote/test/programs/jobs.ts';
import { elections, leaders, LEADERS } from '../../remote/test/programs/leaders.ts';
import { reportOf, SUMMARY, summaryOf } from '../../remote/test/programs/report-of-a-space.ts';
import { strictStarts, STRICT_STARTS } from '../../remote/test/programs/strict-limit.ts';
import { PERMITS as SLOTS, PRINTS, rounds, ROUNDS, work } from '../../remote/test/programs/work-and-rounds.ts';
import { failureOf, onServer, type Ground, type GroundOptions } from './support/server.ts';

/** More permits than the suite uses. */
const PERMITS = 64;
/** A reply may cause a call whose reply causes another one: acquire, cancel, release. */
const ANSWERS = 3;

class RemoteSteps implements SteppedSemaphore {
  readonly #sem: RemoteSemaphore;

  constructor(sem: RemoteSemaphore) {
    this.#sem = sem;
  }

  async counts(): Promise<Counts> {
    for (let i = 0; i < ANSWERS; i++) await this.#sem.inspect();
    return Promise.all([this.#sem.available, this.#sem.waiting]);
  }

  tryAcquire(permits?: number): Promise<boolean> {
    return this.#sem.tryAcquire(permits);
  }

  acquireAsync(permits?: number, options?: WaitOptions): Promise<void> {
    return this.#sem.acquireAsync(permits, options);
  }

  release(permits?: number): Promise<void> {
    return this.#sem.release(permits);
  }

  close(): Promise<void> {
    return this.#sem.close();
  }
}

const WAYS: readonly (readonly [string, GroundOptions])[] = [
  ['directly', {}],
  ['through pgbouncer, which gives each transaction another connection', { pooled: true }],
];

for (const [way, options] of WAYS) {
  onServer(
    `a space ${way}`,
    (it, ground) => {
      const semaphore = async (permits: number, here: Ground): Promise<SteppedSemaphore> => {
        const sem = (await here.open()).semaphore('s', PERMITS);
        // A release returns permits that this process has acquired.
        if (permits < PERMITS) await sem.acquireAsync(PERMITS - permits);
        return new RemoteSteps(sem);
      };

      remoteSemaphoreSuite('space.semaphore', (permits) => semaphore(permits, ground()));

      remoteSemaphoreSuite('space.semaphore with recovery: false', async (permits) => {
        const sem = (await ground().open()).semaphore('s', permits, { recovery: false });
        return new RemoteSteps(sem);
      });

      it('runs the program of Semaphore.create() with the same output', async ({ open }) => {
        expect(await work(Semaphore.create(SLOTS))).toEqual(PRINTS);
        expect(await work((await open()).semaphore('db', SLOTS))).toEqual(PRINTS);
      });

      it('runs the program of a latch and a barrier in memory with the same output', async ({ open }) => {
        expect(await rounds((name, count) => CountdownLatch.create(count, { name }), Barrier.create(0))).toEqual(
          ROUNDS,
        );
        const space = await open();
        expect(await rounds((name, count) => space.countdownLatch(name, count), space.barrier('phase', 0))).toEqual(
          ROUNDS,
        );
      });

      it('runs the program of a rate limiter in memory with the same output', async ({ open }) => {
        expect(await rates(RateLimiter.create(RATE))).toEqual(RATES);
        expect(await rates((await open()).rateLimiter('api', RATE))).toEqual(RATES);
      });

      it('runs the program of a keyed mutex in memory with the same output', async ({ open }) => {
        expect(await keys(KeyedMutex.create())).toEqual(KEYS);
        expect(await keys((await open()).keyedMutex('accounts'))).toEqual(KEYS);
      });

      it('runs the program of a once in memory with the same output', async ({ open }) => {
        expect(await onces(Once.create())).toEqual(ONCES);
        expect(await onces((await open()).once('schema'))).toEqual(ONCES);
      });

      it('runs the program of a lazy in memory with the same output', async ({ open }) => {
        expect(await lazies(Lazy.create({ capacity: 64 }))).toEqual(LAZIES);
        expect(await lazies((await open()).lazy('config', { capacity: 64 }))).toEqual(LAZIES);
      });

      it('has leaders that follow each other when one resigns and when its space closes', async ({ open }) => {
        expect(await leaders(await open(), await open(), await open())).toEqual(LEADERS);
      });

      it('elects one process for each time of a scheduled job', async ({ open }) => {
        expect(new Set(await elections(await open(), await open()))).toEqual(new Set([1]));
      });

      it('runs a job in one process at each of its times', async ({ open }) => {
        expect(await jobs([await open(), await open(), await open()])).toEqual(JOBS);
      });

      it('runs a job again after the end of its process, or after its failure, if it may', async ({ open }) => {
        expect(await runners(await open(), await open(), true)).toEqual(['first', 'second']);
        expect(await failures(await open(), await open(), true)).toEqual(['no connection', 'second']);
      });

      it('does not run a job again that must not', async ({ open }) => {
        expect(await runners(await open(), await open(), false)).toEqual(['first']);
        expect(await failures(await open(), await open(), false)).toEqual(['no connection']);
      });

      it('starts so many calls of a strict limit, and keeps the others waiting', async ({ open }) => {
        expect(await strictStarts(await open(), await open())).toEqual(STRICT_STARTS);
      });

      it('reports what all sessions hold and wait for, and the cycle of two of them', async ({ open }) => {
        const [first, second] = [await open({ name: 'first' }), await open({ name: 'second' })];
        const { report, text } = await reportOf(first, second);
        expect(summaryOf(report)).toEqual(SUMMARY);
        expect(summaryOf(await second.report())).toEqual(SUMMARY);
        expect(text).toMatch(/Mutex 'b'\n {2}held by second \(.+\) for \d+ ms\n {2}1\. first \(.+\) waits\n/);
      });

      it('refuses a leader with a wrong name, body or option', async ({ open }) => {
        const space = await open();
        expect(await failureOf(space.leader('', () => undefined))).toBeInstanceOf(RangeError);
        expect(await failureOf(space.leader('a', 'body' as never))).toBeInstanceOf(TypeError);
        expect(await failureOf(space.leader('a', () => undefined, { timeout: 1 } as never))).toBeInstanceOf(TypeError);
      });
    },
    options,
  );
}
