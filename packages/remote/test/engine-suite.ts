// The suite of every engine: the programs of this folder, with the same output as in memory and as over every other
// engine, and the suite of the semaphores in memory.

import { Barrier, CountdownLatch } from '@sluice/barrier';
import { remoteSemaphoreSuite, type Counts, type SteppedSemaphore } from '@sluice/conformance';
import { Semaphore, type WaitOptions } from '@sluice/core';
import { Lazy, Once } from '@sluice/event';
import { RateLimiter } from '@sluice/limit';
import { KeyedMutex, KeyedRateLimiter } from '@sluice/named';
import { expect } from 'vitest';
import type { RemoteSemaphore, Space } from '../src/index.ts';
import { failureOf } from './programs/failure-of.ts';
import * as limits from './programs/full-limits.ts';
import * as primitives from './programs/in-memory-or-remote.ts';
import * as jobs from './programs/jobs.ts';
import * as keys from './programs/keys-and-values.ts';
import { elections, leaders, LEADERS } from './programs/leaders.ts';
import { reportOf, SUMMARY, summaryOf } from './programs/report-of-a-space.ts';
import * as locks from './programs/several-locks.ts';
import { strictStarts, STRICT_STARTS } from './programs/strict-limit.ts';
import * as rounds from './programs/work-and-rounds.ts';

/** What one test of the suite has: a namespace that no other test uses. */
export interface EngineGround {
  /** Opens a space and closes it after the test. */
  readonly open: (options?: { readonly name?: string }) => Promise<Space>;
  /** Whether a space that is named `ground` is open already. */
  readonly isServed?: boolean;
}

export interface Engine {
  readonly it: (name: string, body: (ground: EngineGround) => Promise<void>) => void;
  readonly ground: () => EngineGround;
}

/** More permits than the suite of semaphores uses. */
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

/** Declares the tests of an engine. */
export function engineSuite(engine: Engine): void {
  semaphores(engine);
  inMemoryOrRemote(engine);
  fleets(engine);
  keysAndValues(engine);
  limitsAndLocks(engine);
  reports(engine);
}

function semaphores({ ground }: Engine): void {
  remoteSemaphoreSuite('space.semaphore', async (permits) => {
    const sem = (await ground().open()).semaphore('s', PERMITS);
    // A release returns permits that this process has acquired.
    if (permits < PERMITS) await sem.acquireAsync(PERMITS - permits);
    return new RemoteSteps(sem);
  });

  remoteSemaphoreSuite('space.semaphore with recovery: false', async (permits) => {
    const sem = (await ground().open()).semaphore('s', permits, { recovery: false });
    return new RemoteSteps(sem);
  });
}

function inMemoryOrRemote({ it }: Engine): void {
  it('runs the program of a semaphore in memory with the same output', async ({ open }) => {
    expect(await rounds.work(Semaphore.create(rounds.PERMITS))).toEqual(rounds.PRINTS);
    expect(await rounds.work((await open()).semaphore('db', rounds.PERMITS))).toEqual(rounds.PRINTS);
  });

  it('runs the program of a latch and a barrier in memory with the same output', async ({ open }) => {
    const inMemory = await rounds.rounds((name, count) => CountdownLatch.create(count, { name }), Barrier.create(0));
    expect(inMemory).toEqual(rounds.ROUNDS);
    const space = await open();
    const latch = (name: string, count: number) => space.countdownLatch(name, count);
    expect(await rounds.rounds(latch, space.barrier('phase', 0))).toEqual(rounds.ROUNDS);
  });

  it('runs the program of a rate limiter in memory with the same output', async ({ open }) => {
    expect(await primitives.rates(RateLimiter.create(primitives.RATE))).toEqual(primitives.RATES);
    expect(await primitives.rates((await open()).rateLimiter('api', primitives.RATE))).toEqual(primitives.RATES);
  });

  it('runs the program of a keyed mutex in memory with the same output', async ({ open }) => {
    expect(await primitives.keys(KeyedMutex.create())).toEqual(primitives.KEYS);
    expect(await primitives.keys((await open()).keyedMutex('accounts'))).toEqual(primitives.KEYS);
  });

  it('runs the program of a once in memory with the same output', async ({ open }) => {
    expect(await primitives.onces(Once.create())).toEqual(primitives.ONCES);
    expect(await primitives.onces((await open()).once('schema'))).toEqual(primitives.ONCES);
  });

  it('runs the program of a lazy in memory with the same output', async ({ open }) => {
    expect(await primitives.lazies(Lazy.create({ capacity: 64 }))).toEqual(primitives.LAZIES);
    expect(await primitives.lazies((await open()).lazy('config', { capacity: 64 }))).toEqual(primitives.LAZIES);
  });

  it('runs the program of a keyed rate limiter in memory with the same output', async ({ open }) => {
    expect(await keys.keyedRates(KeyedRateLimiter.create(keys.KEYED_RATE))).toEqual(keys.KEYED_RATES);
    const rates = (await open()).keyedRateLimiter('api', keys.KEYED_RATE);
    expect(await keys.keyedRates(rates)).toEqual(keys.KEYED_RATES);
  });
}

function fleets({ it }: Engine): void {
  it('has leaders that follow each other when one resigns and when its space closes', async ({ open }) => {
    expect(await leaders(await open(), await open(), await open())).toEqual(LEADERS);
  });

  it('refuses a leader with a wrong name, body or option', async ({ open }) => {
    const space = await open();
    expect(await failureOf(space.leader('', () => undefined))).toBeInstanceOf(RangeError);
    expect(await failureOf(space.leader('a', 'body' as never))).toBeInstanceOf(TypeError);
    expect(await failureOf(space.leader('a', () => undefined, { timeout: 1 } as never))).toBeInstanceOf(TypeError);
  });

  it('elects one process for each time of a scheduled job', async ({ open }) => {
    expect(new Set(await elections(await open(), await open()))).toEqual(new Set([1]));
  });

  it('runs a job in one process at each of its times', async ({ open }) => {
    expect(await jobs.jobs([await open(), await open(), await open()])).toEqual(jobs.JOBS);
  });

  it('runs a job again after the end of its process, or after its failure, if it may', async ({ open }) => {
    expect(await jobs.runners(await open(), await open(), true)).toEqual(['first', 'second']);
    expect(await jobs.failures(await open(), await open(), true)).toEqual(['no connection', 'second']);
  });

  it('does not run a job again that must not', async ({ open }) => {
    expect(await jobs.runners(await open(), await open(), false)).toEqual(['first']);
    expect(await jobs.failures(await open(), await open(), false)).toEqual(['no connection']);
  });
}

function keysAndValues({ it }: Engine): void {
  it('computes a value of a cache once for a storm of 64 misses', async ({ open }) => {
    expect(await keys.storm(await open(), await open())).toEqual(keys.STORM);
  });

  it('gives a failure to the calls that share it, and lets the waiter of another process compute', async ({ open }) => {
    expect(await keys.failure(await open(), await open())).toEqual(keys.FAILURE);
  });

  for (const changes of ['set', 'delete', 'clear'] as const) {
    it(`does not keep the result of a computation during which ${changes} was called`, async ({ open }) => {
      expect(await keys.change(await open(), await open(), changes)).toEqual(keys.CHANGES[changes]);
    });
  }

  it('lets the next waiter compute when the process that computes leaves', async ({ open }) => {
    expect(await keys.successor(await open(), await open())).toEqual(keys.SUCCESSOR);
  });

  it('refuses a function that waits for the value that it computes', async ({ open }) => {
    expect(await keys.ownValue(await open())).toEqual(keys.OWN_VALUE);
  });

  it('returns a stale value while one caller computes the next', async ({ open }) => {
    expect(await keys.stale(await open(), await open())).toEqual(keys.STALE);
  });

  it('keeps values of each codec until their time is over', async ({ open }) => {
    expect(await keys.values(await open())).toEqual(keys.VALUES);
  });

  it('goes on to compute when a wait ends by its timeout or signal', async ({ open }) => {
    expect(await keys.impatience(await open(), await open())).toEqual(keys.IMPATIENCE);
  });

  it('runs a bounded number of calls of each key and of all keys', async ({ open }) => {
    expect(await keys.limits(await open(), await open())).toEqual(keys.LIMITS);
  });

  it('does not delay the first call of a key behind the 100 waiting calls of another', async ({ open }) => {
    expect(await keys.fairness(await open(), await open())).toBeLessThanOrEqual(2);
  });

  it('refuses what a keyed limit cannot give, and takes nothing', async ({ open }) => {
    expect(await keys.refusals(await open(), await open())).toEqual(keys.REFUSALS);
  });

  it('refuses a penalty or a block of a key that would not be kept for long enough', async ({ open }) => {
    expect(await keys.keptForDays(await open())).toEqual(keys.KEPT_FOR_DAYS);
  });
}

function limitsAndLocks({ it }: Engine): void {
  it('starts waiting calls of a process by priority', async ({ open }) => {
    expect(await limits.priorities(await open())).toEqual(limits.PRIORITIES);
  });

  it('sheds calls beyond maxWaiting, over all processes', async ({ open }) => {
    expect(await limits.shedding(await open(), await open())).toEqual(limits.SHEDDING);
  });

  it('sheds the oldest call of the lowest priority on request', async ({ open }) => {
    expect(await limits.sheddingOldest(await open())).toEqual(limits.SHEDDING_OLDEST);
  });

  it('counts no call that clearQueue dropped, and runs none', async ({ open }) => {
    expect(await limits.clearing(await open())).toEqual(limits.CLEARING);
  });

  it('refuses options of a limit that it cannot have by name', async ({ open }) => {
    expect(await limits.refusedLimits(await open())).toEqual(limits.REFUSED_LIMITS);
  });

  it('starts so many calls of a strict limit, and keeps the others waiting', async ({ open }) => {
    expect(await strictStarts(await open(), await open())).toEqual(STRICT_STARTS);
  });

  it('lets five philosophers in two processes eat without a deadlock', async ({ open }) => {
    expect(await locks.philosophers(await open(), await open())).toEqual(locks.PHILOSOPHERS);
  });

  it('takes several locks of any kind, and gives them back together', async ({ open }) => {
    expect(await locks.severalKinds(await open(), await open())).toEqual(locks.SEVERAL_KINDS);
  });

  it('refuses several locks if they are none, or too many permits', async ({ open }) => {
    expect(await locks.refusedLocks(await open(), await open())).toEqual(locks.REFUSED_LOCKS);
  });
}

function reports({ it }: Engine): void {
  it('reports what all sessions hold and wait for, and the cycle of two of them', async ({
    open,
    isServed = false,
  }) => {
    const [first, second] = [await open({ name: 'first' }), await open({ name: 'second' })];
    const { report, text } = await reportOf(first, second);
    const summary = isServed ? { ...SUMMARY, sessions: ['first', 'ground', 'second'] } : SUMMARY;
    expect(summaryOf(report)).toEqual(summary);
    expect(summaryOf(await second.report())).toEqual(summary);
    for (const { leaseLeft } of report.sessions) expect(leaseLeft).toBeGreaterThan(0);
    expect(text).toMatch(/^Space '.+': [23] sessions, 8 primitives in use\n\nSessions that wait for each other/);
    expect(text).toMatch(/Mutex 'a'\n {2}held by first \(.+\) for \d+ ms\n {2}1\. second \(.+\) waits\n/);
    expect(text).toMatch(/Mutex 'b'\n {2}held by second \(.+\) for \d+ ms\n {2}1\. first \(.+\) waits\n/);
    expect(structuredClone(report)).toEqual(report);
  });

  it('reports the sessions alone in a namespace that no process uses', async ({ open }) => {
    const { sessions, ...rest } = await (await open({ name: 'alone' })).report();
    expect(sessions.map(({ label }) => label)).toContain('alone');
    expect(rest).toMatchObject({ primitives: [], cycles: [] });
  });

  it('names a process that gave no name by its id and its host', async ({ open }) => {
    const { sessions } = await (await open()).report();
    expect(sessions.some(({ label }) => new RegExp(`^process ${process.pid} on \\S+$`).test(label))).toBe(true);
  });
}
