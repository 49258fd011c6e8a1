// A limit for each key and one for all keys: beside plain counters, with functions that end when the test says so.

import { expect, test } from 'vitest';
import { byDepth, Session, scale } from '../../../tools/harness/src/index.ts';
import { Arena, type Guard } from '../../core/src/index.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { KeyedLimit, type KeyedLimitOptions } from '../src/index.ts';
import './support/kinds.ts';

const KEYS_IN_TURN = byDepth({ quick: 10_000, ci: 100_000, full: 100_000 });

function limitOf(options: KeyedLimitOptions): KeyedLimit {
  return KeyedLimit.create({ arena: Arena.create({ maxPages: 64 }), ...options });
}

function byAnother(limit: KeyedLimit): KeyedLimit {
  return openAs(secondAgent(limit.arena), limit.handle, (handle) => KeyedLimit.from(handle));
}

/** Lets all calls that can go on do so. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 4; turns++) await new Promise((later) => setImmediate(later));
}

test('at most `concurrency` calls of a key run at a time, and at most `total` of all keys', () => {
  const limit = limitOf({ concurrency: 2, total: 3 });
  const held = ['a', 'a', 'a', 'b', 'b', 'c'].map((key) => limit.tryHold(key));
  expect(held.map((guard) => guard !== null)).toEqual([true, true, false, true, false, false]);
  held[0]?.release();
  expect(limit.tryHold('c')).not.toBeNull();
  expect(limit.inspect()).toMatchObject({ running: 3, waiters: [] });
});

test('a call that finds no slot of all keys keeps no slot of its key', () => {
  const limit = limitOf({ concurrency: 1, total: 1 });
  const guard = limit.hold('a');
  expect([limit.tryHold('b'), limit.tryHold('b', 1)]).toEqual([null, null]);
  expect(limit.inspect().keys.map(({ key }) => key)).toEqual(['a']);
  guard.release();
  expect(limit.tryHold('b')).not.toBeNull();
});

interface Call {
  readonly key: string;
  readonly number: number;
  readonly guard: Guard;
}

test('calls of two agents over several keys never exceed a limit, and all end', async () => {
  const session = new Session('keyed limits beside counters');
  const { random } = session;
  const rounds = scale(20);
  for (let round = 0; round < rounds; round++) {
    const [concurrency, total] = [random.between(1, 3), random.between(1, 5)];
    const limit = limitOf({ concurrency, total });
    const agents = [limit, byAnother(limit)];
    const running: Call[] = [];
    const last = new Map<string, number>();
    let [asked, ended] = [0, 0];
    const leave = new AbortController();
    const begin = (): void => {
      const number = (asked += 1);
      const key = random.pick(['a', 'b', 'c', 'd']);
      const agent = random.below(2);
      const line = `${agent} ${key}`;
      const signal = random.chance(10) ? leave.signal : undefined;
      agents[agent]?.holdAsync(key, { signal }).then(
        (guard) => {
          running.push({ key, number, guard });
          // With one slot, the calls for a key start in the order of its line.
          if (concurrency === 1) expect(number, `seed ${session.seed}`).toBeGreaterThan(last.get(line) ?? 0);
          last.set(line, number);
          const ofKey = running.filter((call) => call.key === key).length;
          expect([ofKey <= concurrency, running.length <= total], `seed ${session.seed}`).toEqual([true, true]);
        },
        () => (ended += 1),
      );
    };
    for (let step = 0; step < 60; step++) {
      if (random.chance(60)) begin();
      else if (running.length > 0) {
        const [call] = running.splice(random.below(running.length), 1);
        call?.guard.release();
        ended += 1;
      }
      if (random.chance(30)) await settle();
    }
    leave.abort();
    while (ended < asked) {
      await settle();
      const call = running.shift();
      call?.guard.release();
      if (call !== undefined) ended += 1;
    }
    expect(limit.inspect()).toMatchObject({ running: 0, waiters: [], keys: [] });
    expect(limit.arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
    limit.free();
  }
  session.done(rounds * 60);
});

test.each([
  [1, 1],
  [2, 4],
  [3, 3],
])(
  'before the first call of a key start at most `concurrency` calls of each other key (%i of %i)',
  async (concurrency, total) => {
    const limit = limitOf({ concurrency, total });
    const others = ['a', 'b', 'c'];
    const starts: string[] = [];
    const running: Guard[] = [];
    const ask = (key: string): void => {
      void limit.holdAsync(key).then((guard) => {
        starts.push(key);
        running.push(guard);
      });
    };
    for (let call = 0; call < 500; call++) for (const key of others) ask(key);
    await settle();
    expect(running.length).toBe(total);
    // Another tenant comes, and one call after another ends.
    const before = starts.length;
    ask('new');
    await settle();
    while (!starts.includes('new')) {
      running.shift()?.release();
      await settle();
    }
    const overtaken = starts.slice(before, starts.indexOf('new'));
    for (const key of others)
      expect(overtaken.filter((other) => other === key).length).toBeLessThanOrEqual(concurrency);
    // And it is the keys' turn in equal parts from here on.
    starts.length = 0;
    for (let call = 0; call < 60; call++) {
      running.shift()?.release();
      await settle();
    }
    const counts = others.map((key) => starts.filter((other) => other === key).length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(2 * concurrency);
    while (running.length > 0) {
      running.shift()?.release();
      if (running.length === 0) await settle();
    }
  },
);

test('a call that times out or is aborted takes no slot, in either line', async () => {
  const limit = limitOf({ concurrency: 1, total: 1 });
  const guard = limit.hold('a');
  const leave = new AbortController();
  const atKey = limit.holdAsync('a', { signal: leave.signal });
  const atTotal = limit.holdAsync('b', { signal: leave.signal });
  await settle();
  leave.abort(new Error('left'));
  await expect(atKey).rejects.toThrow('left');
  await expect(atTotal).rejects.toThrow('left');
  for (const key of ['a', 'b']) {
    await expect(limit.holdAsync(key, { timeout: 0 })).rejects.toThrow(/KeyedLimit.*gave no slot within 0 ms/u);
    await expect(limit.holdAsync(key, { timeout: 1 })).rejects.toThrow(/KeyedLimit.*gave no slot within 1 ms/u);
    expect(limit.tryHold(key, 1)).toBeNull();
  }
  guard.release();
  expect(limit.inspect()).toMatchObject({ running: 0, waiters: [], keys: [] });
  expect(limit.arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
});

test('a blocking call behind an async call of the same agent throws DeadlockError and holds nothing', async () => {
  const limit = limitOf({ concurrency: 1, total: 1 });
  const theirs = byAnother(limit);
  const guard = theirs.hold('a');
  const [atKey, atTotal] = [limit.holdAsync('a'), limit.holdAsync('b')];
  await settle();
  // 'a': behind the call in the line of the key. 'b': behind the call that has the slot of the key. 'c': behind it in the
  // line of all keys.
  for (const key of ['a', 'b', 'c'])
    expect(() => limit.hold(key)).toThrow(expect.objectContaining({ code: 'SLUICE_DEADLOCK' }));
  expect(
    limit
      .inspect()
      .keys.map(({ key }) => key)
      .sort(),
  ).toEqual(['a', 'b']);
  guard.release();
  (await atTotal).release();
  (await atKey).release();
});

test('a blocking call throws DeadlockError behind an async call of the same agent that waits behind a third one', async () => {
  const limit = limitOf({ concurrency: 1, total: 1 });
  const theirs = byAnother(limit);
  const guard = theirs.hold('a');
  const first = limit.holdAsync('y');
  const second = theirs.holdAsync('x');
  await settle();
  // It would wait for 'x', whose call waits for that of 'y', which cannot go on.
  expect(() => limit.hold('x')).toThrow(expect.objectContaining({ code: 'SLUICE_DEADLOCK' }));
  guard.release();
  (await first).release();
  (await second).release();
});

test('a blocking call right after the abort of an async call for its key does not hang', async () => {
  const limit = limitOf({ concurrency: 1, total: 1 });
  const guard = byAnother(limit).hold('a');
  const leave = new AbortController();
  const wait = limit.holdAsync('b', { signal: leave.signal });
  await settle();
  leave.abort(new Error('left'));
  // The aborted call still has the slot of its key: it releases it in a microtask.
  expect(() => limit.hold('b')).toThrow(expect.objectContaining({ code: 'SLUICE_DEADLOCK' }));
  await expect(wait).rejects.toThrow('left');
  guard.release();
  limit.hold('b').release();
});

test('run() and runAsync() release their slots, even if the function throws', async () => {
  const limit = limitOf({ concurrency: 1, total: 2, name: 'tenants' });
  const key = limit.for('k');
  expect(limit.run('k', () => limit.tryHold('k'))).toBeNull();
  expect(() =>
    key.run(() => {
      throw new Error('no');
    }),
  ).toThrow('no');
  await expect(key.runAsync(() => Promise.reject(new Error('later')))).rejects.toThrow('later');
  expect(await key.runAsync(() => 7)).toBe(7);
  expect([limit.inspect().keys, key.key, String(key)]).toEqual([[], 'k', 'KeyedLimit \'tenants\', key "k"']);
});

test('a limit without a total has only the limits of its keys', () => {
  const limit = limitOf({ concurrency: 1 });
  const guards = Array.from({ length: 200 }, (_, key) => limit.hold(`key ${key}`));
  expect([limit.total, limit.inspect().running, limit.tryHold('key 7')]).toEqual([Infinity, 200, null]);
  for (const guard of guards) guard.release();
  expect(limit.inspect().keys).toEqual([]);
  limit.free();
});

test(`${KEYS_IN_TURN} keys in turn take the memory of a few`, () => {
  const arena = Arena.create({ maxPages: 8 });
  const limit = KeyedLimit.create({ concurrency: 2, total: 20, arena });
  for (let key = 0; key < KEYS_IN_TURN; key++) limit.hold(`key ${key}`).release();
  expect(limit.inspect().keys).toEqual([]);
  limit.free();
  expect(arena.inspect().blocks.filter(({ kind }) => kind === 'semaphore')).toEqual([]);
});

test('from() opens the limit for another agent', () => {
  const limit = limitOf({ concurrency: 2, total: 3, name: 'tenants' });
  const theirs = byAnother(limit);
  theirs.hold('a');
  theirs.hold('a');
  expect([theirs.concurrency, theirs.total, theirs.name]).toEqual([2, 3, 'tenants']);
  expect([limit.tryHold('a'), limit.inspect().running]).toEqual([null, 2]);
});

test('from() refuses a handle without its total, or with another one', () => {
  const arena = Arena.create({ maxPages: 16 });
  const limit = limitOf({ concurrency: 1, total: 1, arena });
  const other = limitOf({ concurrency: 1, total: 5, arena });
  const { total: _, ...without } = limit.handle;
  for (const handle of [without, { ...limit.handle, total: other.handle.total }])
    expect(() => KeyedLimit.from(handle as KeyedLimit['handle'])).toThrow('its total is not that of the limit');
});

test('free() refuses while a call runs', () => {
  const limit = limitOf({ concurrency: 1, total: 1 });
  const guard = limit.hold('a');
  expect(() => limit.free()).toThrow(/is in use and cannot be freed/u);
  guard.release();
  limit.free();
  expect(() => limit.hold('a')).toThrow('The keyed limit was freed');
});
