// A rate for each key: beside a plain bucket for each key, with a clock that the test sets.

import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { byDepth, Session, scale, type Random } from '../../../tools/harness/src/index.ts';
import { contextOf } from '../../core/src/arena/arena.ts';
import { Arena } from '../../core/src/index.ts';
import { blocks } from '../../core/src/memory/blocks.ts';
import { readName } from '../../core/src/memory/name.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { HandClock } from '../../limit/test/rate/support/clocks.ts';
import { excess, PlainBucket, type Grant } from '../../limit/test/rate/support/plain-bucket.ts';
import type { KeyedRateLimiter } from '../src/index.ts';
import { createWithClock, openWithClock } from '../src/rates/keyed-rate-limiter.ts';
import type { KeyedRateLimiterOptions } from '../src/rates/rate-table.ts';
import { bucketAt, IS_BLOCKED } from '../src/rates/rate-entries.ts';
import { lockBlocks } from './support/blocks.ts';
import './support/kinds.ts';

/** A worker that clears a word of the memory and wakes no thread. */
const UNBLOCK = `
const { workerData: [memory, address] } = require('node:worker_threads');
Atomics.store(new Int32Array(memory.buffer), address / 4, 0);
`;

/** 100,000 keys take half a minute on a busy machine. */
const KEYS_IN_TURN = byDepth({ quick: 10_000, ci: 100_000, full: 100_000 });

interface ByHand {
  readonly limiter: KeyedRateLimiter;
  readonly clock: HandClock;
}

function byHand(options: KeyedRateLimiterOptions): ByHand {
  const clock = new HandClock();
  return { limiter: createWithClock({ arena: Arena.create({ maxPages: 64 }), ...options }, clock.read), clock };
}

/** Returns the same limiter for another agent, with a clock of its own. */
function byAnother({ limiter }: ByHand): ByHand {
  const clock = new HandClock();
  const theirs = openAs(secondAgent(limiter.arena), limiter.handle, (handle) => openWithClock(handle, clock.read));
  return { limiter: theirs, clock };
}

/** Rates whose permits cost whole ticks, so that the limiter rounds nothing. */
function drawRates(random: Random) {
  return {
    permits: random.pick([1, 2, 5, 8, 10, 100]),
    interval: random.pick([0.5, 1, 8, 100, 1000, 60_000]),
    burst: random.pick([1, 2, 3, 10, 64]),
  };
}

test.each(['wasm', 'js'] as const)('each key takes exactly what a plain bucket takes (%s)', (engine) => {
  const session = new Session(`keys beside plain buckets, ${engine}`);
  const { random } = session;
  const arena = Arena.create({ maxPages: 64, engine: engineNamed(engine) });
  const rounds = scale(40);
  let taken = 0;
  for (let round = 0; round < rounds; round++) {
    const { permits, interval, burst } = drawRates(random);
    const ours = byHand({ permits, interval, burst, arena });
    const theirs = byAnother(ours);
    const start = ours.clock.now;
    const keys = Array.from({ length: 20 }, (_, index) => `key ${index}`);
    const plain = new Map(keys.map((key) => [key, new PlainBucket(permits, interval, burst)]));
    const grants = new Map<string, Grant[]>(keys.map((key) => [key, []]));
    for (let call = 0; call < 300; call++) {
      const ms = Math.floor((interval / permits) * random.pick([0.25, 1, 2, burst]) * random.between(0, 8)) / 16;
      for (const { clock } of [ours, theirs]) clock.pass(ms);
      const at = ours.clock.now - start;
      const key = random.pick(keys);
      const weight = random.between(1, burst);
      const { limiter } = random.chance(50) ? ours : theirs;
      const isTaken = limiter.tryAcquire(key, weight);
      expect(isTaken, `seed ${session.seed}, round ${round}, call ${call}`).toBe(plain.get(key)?.take(at, weight));
      if (isTaken) {
        taken += 1;
        grants.get(key)?.push({ at, weight });
      } else expect(limiter.retryAfter(key, weight)).toBeGreaterThan(0);
    }
    for (const of of grants.values()) expect(excess(of, permits, interval, burst)).toBeLessThan(1e-3);
    ours.limiter.free();
  }
  session.done(rounds * 300, `${taken} taken`);
});

test('a call succeeds after retryAfter() ms, and not before', () => {
  const session = new Session('retryAfter of a key');
  const { random } = session;
  for (let round = 0; round < 100; round++) {
    const rates = drawRates(random);
    const { limiter, clock } = byHand({ ...rates, arena: Arena.create({ maxPages: 8 }) });
    const weight = random.between(1, rates.burst);
    while (limiter.tryAcquire('k', random.between(1, rates.burst)));
    const ms = limiter.retryAfter('k', weight);
    if (ms > 0) {
      clock.pass(ms - 1);
      expect(limiter.tryAcquire('k', weight)).toBe(false);
      clock.pass(1);
    }
    expect([limiter.retryAfter('k', weight), limiter.tryAcquire('k', weight)]).toEqual([0, true]);
  }
  session.done(100);
});

test('keys have permits of their own', () => {
  const { limiter } = byHand({ permits: 2, interval: 1000 });
  expect(['a', 'a', 'a', 'b'].map((key) => limiter.tryAcquire(key))).toEqual([true, true, false, true]);
  expect(['a', 'b', 'c'].map((key) => limiter.remaining(key))).toEqual([0, 1, 2]);
});

test('consume() says what is left and when the same call can succeed', () => {
  const { limiter, clock } = byHand({ permits: 2, interval: 1000 });
  expect(limiter.consume('k')).toEqual({ taken: true, remaining: 1, retryAfter: 0 });
  expect(limiter.consume('k', 2)).toEqual({ taken: false, remaining: 1, retryAfter: 500 });
  clock.pass(500);
  expect(limiter.consume('k', 2)).toEqual({ taken: true, remaining: 0, retryAfter: 0 });
});

test(`${KEYS_IN_TURN} keys in turn take the memory of those that are not at rest`, () => {
  const arena = Arena.create({ maxPages: 32 });
  const { limiter, clock } = byHand({ permits: 10, interval: 1000, arena });
  const before = lockBlocks(arena);
  for (let key = 0; key < KEYS_IN_TURN; key++) {
    // A permit costs 100 ms, so about 1,000 keys are not at rest at any time.
    clock.pass(0.1);
    expect(limiter.tryAcquire(`user ${key}`)).toBe(true);
  }
  clock.pass(1000);
  expect(limiter.inspect().keys).toEqual([]);
  expect(lockBlocks(arena)).toBe(before);
});

test.each(['consume', 'tryAcquire', 'penalty'] as const)(
  'calls of %s() for one key give back the memory of keys at rest',
  (call) => {
    const arena = Arena.create({ maxPages: 128 });
    const { limiter, clock } = byHand({ permits: 1000, interval: 1000, arena });
    const before = lockBlocks(arena);
    for (let key = 0; key < 3000; key++) limiter[call](`user ${key}`);
    clock.pass(10_000);
    for (let calls = 0; calls < 300; calls++) limiter[call]('user 0');
    expect(lockBlocks(arena)).toBeLessThanOrEqual(before + 1);
  },
);

test('10,000 keys at once have permits of their own', () => {
  const arena = Arena.create({ maxPages: 256 });
  const { limiter } = byHand({ permits: 2, interval: 60_000, arena });
  for (let round = 0; round < 3; round++)
    for (let key = 0; key < 10_000; key++) expect(limiter.tryAcquire(`user ${key}`)).toBe(round < 2);
});

test('keys at rest give their memory back when the arena is full', () => {
  const arena = Arena.create({ maxPages: 8 });
  const { limiter, clock } = byHand({ permits: 1, interval: 60_000, arena });
  let count = 0;
  const takeAll = (): number => {
    for (let taken = 0; ; taken++) {
      try {
        limiter.tryAcquire(`user ${count++}`);
      } catch (failure) {
        expect((failure as { readonly code: string }).code).toBe('SLUICE_ARENA_FULL');
        return taken;
      }
    }
  };
  const most = takeAll();
  expect(most).toBeGreaterThan(100);
  clock.pass(60_000);
  expect(takeAll()).toBeGreaterThanOrEqual(most - 1);
});

test('a key that is at rest is at rest for every agent, after its memory was freed, too', () => {
  const ours = byHand({ permits: 1, interval: 1000 });
  const theirs = byAnother(ours);
  expect(ours.limiter.tryAcquire('k')).toBe(true);
  ours.clock.pass(1000);
  expect(ours.limiter.inspect().keys).toEqual([]);
  // The clock of the other agent is behind. It takes one permit, and agreed time goes on from the freeing.
  expect([theirs.limiter.tryAcquire('k'), theirs.limiter.tryAcquire('k')]).toEqual([true, false]);
  expect(ours.limiter.tryAcquire('k')).toBe(false);
  ours.clock.pass(1000);
  expect(ours.limiter.tryAcquire('k')).toBe(true);
});

test('waiting calls for a key are served in their order, and no other call overtakes them', async () => {
  const { limiter } = byHand({ permits: 1, interval: 60_000 });
  const order: number[] = [];
  limiter.tryAcquire('k');
  const waits = [1, 2, 3].map((call) => limiter.acquireAsync('k').then(() => order.push(call)));
  limiter.reward('k');
  expect(limiter.tryAcquire('k')).toBe(false);
  for (const wait of waits) {
    limiter.reward('k');
    await wait;
  }
  expect(order).toEqual([1, 2, 3]);
  expect(limiter.tryAcquire('k')).toBe(false);
  expect(limiter.inspect().keys).toMatchObject([{ key: 'k', head: 0, waiters: [] }]);
});

test('calls for one key do not wait for calls for another', async () => {
  const { limiter } = byHand({ permits: 1, interval: 60_000 });
  limiter.tryAcquire('slow');
  const slow = limiter.acquireAsync('slow');
  expect(limiter.tryAcquire('fast')).toBe(true);
  limiter.reset('slow');
  await slow;
});

test('a blocked key gives no permit until its block ends', async () => {
  const { limiter, clock } = byHand({ permits: 5, interval: 1000 });
  limiter.block('k', 2000);
  expect([limiter.tryAcquire('k'), limiter.remaining('k'), limiter.retryAfter('k')]).toEqual([false, 0, 2000]);
  expect(limiter.consume('k')).toEqual({ taken: false, remaining: 0, retryAfter: 2000 });
  clock.pass(1999);
  expect([limiter.tryAcquire('k'), limiter.blockedFor('k')]).toEqual([false, 1]);
  clock.pass(1);
  expect([limiter.remaining('k'), limiter.tryAcquire('k')]).toEqual([5, true]);
  limiter.block('k', Infinity);
  expect([limiter.blockedFor('k'), limiter.retryAfter('k')]).toEqual([Infinity, Infinity]);
  const wait = limiter.acquireAsync('k');
  limiter.unblock('k');
  await wait;
  expect(limiter.remaining('k')).toBe(3);
});

test('a blocked key keeps its memory until its block ends', () => {
  const { limiter, clock } = byHand({ permits: 5, interval: 1000 });
  limiter.block('k', 10_000);
  expect(limiter.inspect().keys).toMatchObject([{ key: 'k', remaining: 0, blockedFor: 10_000 }]);
  clock.pass(10_000);
  expect(limiter.inspect().keys).toEqual([]);
});

test('a penalty takes permits that have not come yet, and a reward gives permits back up to a full burst', () => {
  const { limiter, clock } = byHand({ permits: 4, interval: 1000 });
  limiter.penalty('k', 6);
  expect([limiter.remaining('k'), limiter.retryAfter('k')]).toEqual([0, 750]);
  limiter.reward('k', 3);
  expect(limiter.remaining('k')).toBe(1);
  limiter.reward('k', 100);
  limiter.reward('other', 100);
  expect([limiter.remaining('k'), limiter.remaining('other')]).toEqual([4, 4]);
  limiter.penalty('k', 4);
  limiter.reset('k');
  expect(limiter.remaining('k')).toBe(4);
  clock.pass(1000);
  expect(limiter.inspect().keys).toEqual([]);
});

test('a call that gives up takes nothing', async () => {
  const { limiter } = byHand({ permits: 1, interval: 60_000 });
  limiter.tryAcquire('k');
  const leave = new AbortController();
  const aborted = limiter.acquireAsync('k', 1, { signal: leave.signal });
  const behind = limiter.acquireAsync('k');
  leave.abort(new Error('left'));
  await expect(aborted).rejects.toThrow('left');
  await expect(limiter.acquireAsync('k', 1, { timeout: 0 })).rejects.toThrow(/gave no permit within 0 ms/u);
  expect(limiter.tryAcquire('k', 1, 1)).toBe(false);
  limiter.reward('k');
  await behind;
  expect(() => limiter.acquire('k', 1, { timeout: 1 })).toThrow(/key "k", gave no permit within 1 ms/u);
  expect(limiter.arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
});

test('a call that would come too late gives up at once and does not delay the call behind it', async () => {
  const { limiter } = byHand({ permits: 1, interval: 60_000 });
  limiter.tryAcquire('k');
  const late = limiter.acquireAsync('k', 1, { timeout: 50_000 });
  const behind = limiter.acquireAsync('k');
  await expect(late).rejects.toThrow(/gave no permit within 50000 ms/u);
  limiter.reward('k');
  await behind;
  expect(limiter.inspect().keys).toMatchObject([{ head: 0, waiters: [] }]);
});

test('a blocking call behind an async call of the same agent throws DeadlockError', async () => {
  const { limiter } = byHand({ permits: 1, interval: 60_000 });
  limiter.tryAcquire('k');
  const wait = limiter.acquireAsync('k');
  expect(() => limiter.acquire('k')).toThrow(expect.objectContaining({ code: 'SLUICE_DEADLOCK' }));
  limiter.reset('k');
  await wait;
});

test('an aborted call has left the line when abort() returns', async () => {
  const { limiter } = byHand({ permits: 1, interval: 60_000 });
  limiter.tryAcquire('k');
  const leave = new AbortController();
  const wait = limiter.acquireAsync('k', 1, { signal: leave.signal });
  await new Promise((later) => setImmediate(later));
  leave.abort(new Error('left'));
  expect(limiter.inspect().keys).toMatchObject([{ key: 'k', head: 0 }]);
  limiter.free();
  await expect(wait).rejects.toThrow('left');
});

test.each(['blocking', 'async'] as const)(
  'a head goes on if the agent that unblocked its key died before it woke the head (%s)',
  async (how) => {
    const { limiter } = byHand({ permits: 1, interval: 1000 });
    limiter.block('k', 60_000_000);
    const { words } = contextOf(limiter.arena);
    const [entry] = [...blocks(words)].filter((block) => readName(words, block) === 'k');
    const unblock = (): void => words.store32(bucketAt(entry ?? 0) + IS_BLOCKED, 0);
    if (how === 'async') {
      const wait = limiter.acquireAsync('k');
      await new Promise((later) => setImmediate(later));
      unblock();
      await wait;
    } else {
      const worker = new Worker(UNBLOCK, {
        eval: true,
        workerData: [limiter.arena.handle.memory, bucketAt(entry ?? 0) + IS_BLOCKED],
      });
      limiter.acquire('k');
      await worker.terminate();
    }
    expect(limiter.remaining('k')).toBe(0);
  },
);

test('run() and runAsync() call the function after the permits are taken', async () => {
  const { limiter } = byHand({ permits: 3, interval: 60_000 });
  const key = limiter.for('k');
  expect(limiter.run('k', () => limiter.remaining('k'))).toBe(2);
  expect(await key.runAsync(() => key.remaining)).toBe(1);
  expect([key.tryAcquire(), key.tryAcquire(), key.key]).toEqual([true, false, 'k']);
});

test('from() opens the limiter for another agent, with its terms', () => {
  const ours = byHand({ permits: 3, interval: 2.5, burst: 7, name: 'logins' });
  const { limiter } = byAnother(ours);
  expect([limiter.permits, limiter.interval, limiter.burst, limiter.name]).toEqual([3, 2.5, 7, 'logins']);
  expect(String(limiter)).toBe("KeyedRateLimiter 'logins'");
});

test('free() gives all memory back, also of keys that are not at rest', () => {
  const arena = Arena.create({ maxPages: 16 });
  const before = lockBlocks(arena);
  const { limiter } = byHand({ permits: 1, interval: 60_000, arena });
  limiter.tryAcquire('a');
  limiter.block('b', 60_000);
  limiter.free();
  expect(lockBlocks(arena)).toBe(before);
  expect(() => limiter.tryAcquire('a')).toThrow('The keyed rate limiter was freed');
});

test('free() refuses while a call waits, and changes nothing', async () => {
  const { limiter } = byHand({ permits: 1, interval: 60_000 });
  limiter.tryAcquire('k');
  limiter.tryAcquire('used up');
  limiter.block('blocked', 60_000);
  const wait = limiter.acquireAsync('k');
  expect(() => limiter.free()).toThrow(/is in use and cannot be freed/u);
  expect([limiter.remaining('used up'), limiter.blockedFor('blocked')]).toEqual([0, 60_000]);
  limiter.reset('k');
  await wait;
  limiter.free();
});
