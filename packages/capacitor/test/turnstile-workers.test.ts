// A turnstile between threads.

import { Arena, Region } from '@sluice/core';
import { withWorkers } from '@sluice/harness';
import { expect, test } from 'vitest';
import { Turnstile } from '../src/index.ts';
import { BACK, CROWDED, GO, WORDS, type TurnData } from './jobs/turns.mjs';

const jobs = new URL('./jobs/turns.mjs', import.meta.url);

interface Fixture {
  readonly turnstile: Turnstile;
  readonly words: Int32Array;
  readonly data: TurnData;
  readonly group: { readonly jobs: URL; readonly seed: number; readonly dump: () => unknown };
}

function prepare(): Fixture {
  const arena = Arena.create({ maxPages: 8 });
  const turnstile = Turnstile.create({ arena, name: 'gate' });
  const region = Region.create(4 * WORDS, { arena });
  const dump = (): unknown => ({ turnstile: turnstile.inspect(), arena: arena.inspect() });
  const data = { turnstile: turnstile.handle, words: region.handle };
  return { turnstile, words: region.int32, data, group: { jobs, seed: 1, dump } };
}

function tell(words: Int32Array, word: number): void {
  Atomics.store(words, word, 1);
  Atomics.notify(words, word);
}

test('a worker that went out and sleeps blocks neither a blocked worker nor an async wait', async () => {
  const { turnstile, words, data, group: options } = prepare();
  await withWorkers(options, async (group) => {
    const [sleeper] = group.start(1, 'goOut', () => data);
    await group.until('the first worker is inside', () => sleeper?.said === 'in');
    const [blocked] = group.start<boolean>(1, 'goIn', () => data);
    await group.until('the second worker waits', () => turnstile.inspect().waiters.length === 1);
    const mine = turnstile.arriveAsync();
    expect(turnstile.inspect().waiters.map(({ kind }) => kind)).toEqual(['blocking', 'async']);
    tell(words, GO);
    expect(await blocked?.result).toBe(true);
    await mine;
    expect(turnstile.inspect()).toMatchObject({ agentInside: turnstile.arena.agentId, waiters: [] });
    await group.until('the first worker is outside', () => sleeper?.said === 'out');
    tell(words, BACK);
    await group.until('the first worker waits', () => turnstile.inspect().waiters.length === 1);
    turnstile.depart();
    await group.results();
  });
  expect(turnstile.empty).toBe(true);
  turnstile.free();
});

test('one of several workers is inside at a time, and each gets its turns', async () => {
  const { turnstile, words, data, group: options } = prepare();
  await withWorkers(options, async (group) => {
    group.start(3, 'comeAndGo', () => ({ ...data, passes: 20_000 }));
    await group.said('ready');
    tell(words, GO);
    const results = await group.results<{ turns: number; bypassLimit: number }>();
    expect(Atomics.load(words, CROWDED)).toBe(0);
    for (const { turns, bypassLimit } of results) {
      expect([turns > 0, bypassLimit >= 1, bypassLimit <= 2 ** 24]).toEqual([true, true, true]);
    }
    const turns = results.map((result) => result.turns).join(', ');
    console.log(`3 × 20000 passes in ${turns} turns, B ${turnstile.bypassLimit}`);
  });
  expect(turnstile.inspect()).toMatchObject({ waiters: [], abandoned: 0 });
  expect(turnstile.empty).toBe(true);
});
