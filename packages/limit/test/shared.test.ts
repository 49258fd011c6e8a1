// One limit that several agents share.

import { Arena, hasCode, MisuseError, Region, Semaphore } from '@sluice/core';
import { contextOf } from '@sluice/core/internal';
import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test, vi } from 'vitest';
import { secondAgent } from '../../core/test/support/second-agent.ts';
import { createLimit, limitFunction, type Limit, type LimitHandle } from '../src/index.ts';
import { attachAs } from './support/agents.ts';
import { Stage, turns } from './support/gate.ts';

const arena = Arena.create({ maxPages: 32, policy: { buckets: 8 } });
const other = secondAgent(arena);
const [agent, rival] = [arena.agentId, other.agentId];

interface Pair {
  readonly ours: Limit;
  readonly theirs: Limit;
  readonly stage: Stage;
}

function pair(concurrency: number, name?: string): Pair {
  const ours = createLimit({ concurrency, arena, name });
  return { ours, theirs: attachAs(other, ours.handle), stage: new Stage() };
}

function pairOver(semaphore: Semaphore): Pair {
  const ours = createLimit(semaphore);
  return { ours, theirs: attachAs(other, ours.handle), stage: new Stage() };
}

describe.each([
  ['of its own', pair],
  ['over a semaphore', (permits: number) => pairOver(Semaphore.create(permits, { arena }))],
] as const)('a limit %s', (_, make) => {
  test('counts the running functions of all agents', async () => {
    const { ours, theirs, stage } = make(2);
    const calls = [ours(stage.play, 'a'), theirs(stage.play, 'b'), ours(stage.play, 'c'), theirs(stage.play, 'd')];
    await turns();
    expect(stage.running).toEqual(['a', 'b']);
    expect([ours.activeCount, ours.pendingCount, theirs.activeCount, theirs.pendingCount]).toEqual([1, 1, 1, 1]);
    const all = { concurrency: 2, activeCount: 2, pendingCount: 2 };
    for (const limit of [ours, theirs]) expect(limit.inspect()).toMatchObject(all);
    await stage.endAll();
    await Promise.all(calls);
    expect(ours.inspect()).toMatchObject({ activeCount: 0, pendingCount: 0, holders: [], waiters: [] });
  });

  test('lets agents with waiting calls take turns, and runs the calls of each agent in their order', async () => {
    const { ours, theirs, stage } = make(1);
    const names = ['x', 'b1', 'a1', 'a2', 'a3', 'b2', 'a4', 'b3'];
    const calls = names.map((name) => (name.startsWith('b') ? theirs : ours)(stage.play, name));
    for (const name of ['x', 'b1', 'a1', 'b2', 'a2', 'b3', 'a3', 'a4']) {
      await turns();
      expect(stage.running).toEqual([name]);
      await stage.end(name);
    }
    await Promise.all(calls);
  });

  test('hands a slot to the next call of the same agent only while no other agent waits', async () => {
    const { ours, theirs, stage } = make(1);
    const calls = ['a1', 'a2', 'a3', 'a4'].map((name) => ours(stage.play, name));
    await turns();
    await stage.end('a1');
    expect(stage.running).toEqual(['a2']);
    // The place of the agent in the line, enqueued for a2, now serves a3.
    calls.push(theirs(stage.play, 'b1'));
    for (const name of ['a2', 'a3', 'b1', 'a4']) {
      expect(stage.running).toEqual([name]);
      await stage.end(name);
    }
    await Promise.all(calls);
    expect(ours.inspect()).toMatchObject({ activeCount: 0, pendingCount: 0, abandoned: 0, waiters: [] });
  });

  test('hands a slot to a waiting agent, not to a call of the same agent whose place was granted a slot at that moment', async () => {
    const { ours, theirs, stage } = make(2);
    const calls = ['a0', 'b0', 'a1', 'a2', 'b1'].map((name) =>
      (name.startsWith('a') ? ours : theirs)(stage.play, name),
    );
    await turns();
    // When a0 ends, the slot of b0 is on its way to a1, and the one waiter in line is b1.
    await stage.end('b0', 'a0');
    expect(stage.running.sort()).toEqual(['a1', 'b1']);
    await stage.endAll();
    await Promise.all(calls);
    expect(stage.began.at(-1)).toBe('a2');
  });

  test('gives the granted slot of a dropped call to a call that arrives at that moment', async () => {
    const { ours, theirs, stage } = make(1);
    const calls = [theirs(stage.play, 'b')];
    void ours(stage.play, 'dropped');
    await turns();
    const ended = stage.end('b');
    for (let tick = 0; tick < 4; tick++) await Promise.resolve();
    ours.clearQueue();
    calls.push(ours(stage.play, 'a'));
    await ended;
    expect(stage.running).toEqual(['a']);
    await stage.endAll();
    await Promise.all(calls);
    expect(ours.inspect()).toMatchObject({ activeCount: 0, pendingCount: 0, abandoned: 0, waiters: [] });
  });

  test('clears the waiting calls of one agent only', async () => {
    const { ours, theirs, stage } = make(1);
    const kept = [ours(stage.play, 'a'), theirs(stage.play, 'c')];
    void ours(stage.play, 'b');
    void ours(stage.play, 'd');
    ours.clearQueue();
    await turns();
    await stage.endAll();
    await Promise.all(kept);
    expect(stage.began).toEqual(['a', 'c']);
    expect(ours.inspect()).toMatchObject({ activeCount: 0, pendingCount: 0, abandoned: 0 });
  });

  test('rejects the calls of all agents after close(), and running functions continue', async () => {
    const { ours, theirs, stage } = make(1);
    const running = ours(stage.play, 'runs');
    const waiting = [ours(stage.play, 'x'), theirs(stage.play, 'y')].map((call) =>
      call.catch((failure: unknown) => failure),
    );
    await turns();
    theirs.close();
    const later = [ours(() => 1), theirs.run(() => 1)].map((call) => call.catch((failure: unknown) => failure));
    for (const failure of await Promise.all([...waiting, ...later]))
      expect(hasCode(failure, 'SLUICE_CLOSED')).toBe(true);
    await stage.endAll();
    expect([await running, stage.began]).toEqual(['runs', ['runs']]);
    expect([ours.inspect().state, ours.pendingCount, theirs.pendingCount]).toEqual(['closed', 0, 0]);
  });
});

describe('the concurrency', () => {
  test('can be set by any agent, for all agents', async () => {
    const { ours, theirs, stage } = pair(2);
    const calls = Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? ours : theirs)(stage.play, `${index}`));
    await turns();
    expect(stage.running).toHaveLength(2);
    theirs.concurrency = 5;
    await turns();
    expect([ours.concurrency, stage.running.length]).toEqual([5, 5]);
    ours.concurrency = 3;
    await stage.end('0', '1');
    expect([theirs.concurrency, stage.running.length]).toEqual([3, 3]);
    await stage.end('2');
    expect(stage.running).toHaveLength(3);
    await stage.endAll();
    await Promise.all(calls);
    // Functions that begin at the same time do so in any order.
    expect([...stage.began].sort()).toEqual(calls.map((_, index) => `${index}`).sort());
  });

  test('removes free slots at once when it is lowered and adds them when it is raised, many times', async () => {
    const { ours, theirs, stage } = pair(4);
    for (let round = 0; round < 50; round++) {
      (round % 2 === 0 ? ours : theirs).concurrency = 1 + (round % 7);
      expect([ours.concurrency, theirs.concurrency]).toEqual([1 + (round % 7), 1 + (round % 7)]);
    }
    ours.concurrency = 3;
    const calls = Array.from({ length: 5 }, (_, index) => theirs(stage.play, `${index}`));
    await turns();
    expect(stage.running).toHaveLength(3);
    await stage.endAll();
    await Promise.all(calls);
  });

  test('a concurrency that is lowered and raised before a function has ended begins no call', async () => {
    const { ours, theirs, stage } = pair(4);
    const calls = Array.from({ length: 8 }, (_, index) => ours(stage.play, `${index}`));
    await turns();
    theirs.concurrency = 1;
    ours.concurrency = 4;
    await turns();
    expect(stage.running).toHaveLength(4);
    await stage.end('0');
    expect(stage.running).toHaveLength(4);
    await stage.endAll();
    await Promise.all(calls);
  });

  test.each([Infinity, 2 ** 31 - 1, 2 ** 31, 1e300])('%d has the effect of Infinity', (concurrency) => {
    const limit = createLimit(concurrency, { arena });
    expect(limit.concurrency).toBe(Infinity);
    limit.concurrency = 7;
    expect(limit.concurrency).toBe(7);
    limit.concurrency = concurrency;
    expect(limit.concurrency).toBe(Infinity);
    limit.free();
  });

  test('the concurrency over a given semaphore is the number of its permits and cannot be set', () => {
    const semaphore = Semaphore.create(3, { arena });
    for (const limit of Object.values(pairOver(semaphore)).slice(0, 2) as Limit[]) {
      expect(limit.concurrency).toBe(3);
      expect(() => (limit.concurrency = 4)).toThrow(MisuseError);
      expect(() => (limit.concurrency = 0)).toThrow(TypeError);
      semaphore.acquire();
      expect(limit.concurrency).toBe(3);
    }
  });
});

test('acquires of a given semaphore and calls of its limit wait in one line', async () => {
  const semaphore = Semaphore.create(2, { arena });
  const { theirs, stage } = pairOver(semaphore);
  semaphore.acquire(2);
  const calls = [theirs(stage.play, 'a'), theirs(stage.play, 'b')];
  const both = semaphore.acquireAsync(2);
  semaphore.release();
  await turns();
  expect([stage.running, semaphore.tryAcquire()]).toEqual([['a'], false]);
  // 'b' got its place in line when 'a' began, after the wait for two permits.
  await stage.end('a');
  semaphore.release();
  await both;
  await turns();
  expect(stage.running).toEqual([]);
  semaphore.release(2);
  await turns();
  await stage.end('b');
  await Promise.all(calls);
  expect(semaphore.available).toBe(2);
});

test('inspect() reports the functions and calls of all agents', async () => {
  const { ours, theirs, stage } = pair(2, 'fetches');
  const calls = [ours, theirs, theirs, ours].map((limit, index) => limit(stage.play, `${index}`));
  await turns();
  const title = expect.stringMatching(/^agent \d+/) as string;
  expect(theirs.inspect()).toEqual({
    kind: 'limit',
    name: 'fetches',
    state: 'open',
    concurrency: 2,
    activeCount: 2,
    pendingCount: 2,
    holders: expect.arrayContaining([
      { agent, title, permits: 1 },
      { agent: rival, title, permits: 1 },
    ]) as unknown,
    waiters: [rival, agent].map((which) => ({
      agent: which,
      title,
      permits: 1,
      kind: 'async',
      since: expect.any(Number) as number,
      age: expect.any(Number) as number,
    })),
    abandoned: 0,
  });
  await stage.endAll();
  await Promise.all(calls);
});

describe('a call that finds a free slot while an earlier call has a granted slot and has not begun', () => {
  /** After these microtasks the second call has its slot, and the slot of the first call has not arrived. */
  async function ticks(): Promise<void> {
    for (let tick = 0; tick < 20; tick++) await Promise.resolve();
  }

  type Act = (first: AbortController, second: () => Promise<string>) => Promise<string>;

  async function scene(act: Act): Promise<readonly [began: string[], contexts: unknown[]]> {
    const semaphore = Semaphore.create(2, { arena });
    const { ours, stage } = pairOver(semaphore);
    const store = new AsyncLocalStorage<string>();
    const contexts: unknown[] = [];
    const play = (name: string): Promise<string> => {
      contexts.push(store.getStore());
      return stage.play(name);
    };
    const controller = new AbortController();
    semaphore.acquire(2);
    const first = store
      .run('of first', () => ours.run(play, { args: ['first'], signal: controller.signal }))
      .catch(() => 'aborted');
    // One slot was granted to the first call, which has not run yet. One slot is free.
    semaphore.release(2);
    const second = act(controller, () => store.run('of second', () => ours(play, 'second')));
    await turns();
    await stage.endAll();
    await Promise.all([first, second]);
    expect([semaphore.available, semaphore.waiting, ours.activeCount, ours.pendingCount]).toEqual([2, 0, 0, 0]);
    return [stage.began, contexts];
  }

  test('begins after the earlier call, each in its own async context', async () => {
    const [began, contexts] = await scene((_, second) => second());
    expect([began, contexts]).toEqual([
      ['first', 'second'],
      ['of first', 'of second'],
    ]);
  });

  test('leaves the slot free, and no slot is lost when the call is dropped before its turn', async () => {
    for (const drop of ['abort', 'clear'] as const) {
      const semaphore = Semaphore.create(2, { arena });
      const { ours, stage } = pairOver(semaphore);
      semaphore.acquire(2);
      const first = ours(stage.play, 'first');
      semaphore.release(2);
      const controller = new AbortController();
      const second = ours.run(stage.play, { args: ['second'], signal: controller.signal }).catch(() => undefined);
      await ticks();
      expect([semaphore.available, ours.pendingCount, stage.began]).toEqual([1, 2, []]);
      if (drop === 'abort') controller.abort();
      else ours.clearQueue();
      await turns();
      await stage.endAll();
      expect([stage.began, semaphore.available, ours.pendingCount]).toEqual([drop === 'abort' ? ['first'] : [], 2, 0]);
      if (drop === 'abort') await Promise.all([first, second]);
    }
  });

  test('begins after the earlier call, even if that call is aborted after its slot was granted', async () => {
    for (const before of [true, false]) {
      const [began, contexts] = await scene(async (first, second) => {
        if (before) first.abort();
        const call = second();
        await ticks();
        if (!before) first.abort();
        return call;
      });
      expect([began, contexts]).toEqual([
        ['first', 'second'],
        ['of first', 'of second'],
      ]);
    }
  });
});

test.each([0, 1])(
  'calls start in their order if the budget of the event loop is used up %d calls after the first of them has its slot',
  async (unspent) => {
    const one = createLimit(2, { arena });
    const two = createLimit.from(one.handle);
    const stage = new Stage();
    const calls = [one(stage.play, 'x'), one(stage.play, 'y')];
    await turns();
    let turn: () => void = () => undefined;
    const nextTurn = new Promise<void>((resolve) => (turn = resolve));
    let spent = 0;
    const spend = vi
      .spyOn(contextOf(arena).budget, 'spend')
      .mockImplementation(() => (spent++ < unspent ? undefined : nextTurn));
    calls.push(one(stage.play, 'first'));
    const ended = stage.end('x', 'y');
    // The ends of x and y take these ticks. The second call comes when the first one has its slot, and has not spent
    // yet, or later.
    for (let tick = 0; tick < 8; tick++) {
      await Promise.resolve();
      if (one.pendingCount === 0 && calls.length < 5) calls.push(two(stage.play, `then ${calls.length}`));
    }
    await ended;
    turn();
    spend.mockRestore();
    await turns();
    await stage.endAll();
    await Promise.all(calls);
    expect(stage.began).toEqual(['x', 'y', 'first', 'then 3', 'then 4']);
    one.free();
  },
);

describe('two limit objects of one thread', () => {
  test('begin their calls in call order, whenever the second call is made', async () => {
    for (let ticks = 0; ticks < 12; ticks++) {
      const one = createLimit(2, { arena });
      const two = createLimit.from(one.handle);
      const stage = new Stage();
      const calls = [one(stage.play, 'x'), one(stage.play, 'y')];
      await turns();
      calls.push(one(stage.play, 'first'));
      const ended = stage.end('x', 'y');
      for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
      calls.push(two(stage.play, 'second'));
      await ended;
      expect(stage.began).toEqual(['x', 'y', 'first', 'second']);
      await stage.endAll();
      await Promise.all(calls);
      one.free();
    }
  });

  test('count and clear only their own calls, and later calls of the other object continue', async () => {
    const one = createLimit(1, { arena });
    const two = createLimit.from(one.handle, { rejectOnClear: true });
    const stage = new Stage();
    const kept = [one(stage.play, 'a')];
    const dropped = two(stage.play, 'b').catch((failure: unknown) => (failure as Error).name);
    kept.push(one(stage.play, 'c'));
    await turns();
    expect([one.activeCount, one.pendingCount, two.activeCount, two.pendingCount]).toEqual([1, 1, 0, 1]);
    two.clearQueue();
    expect([one.pendingCount, two.pendingCount, await dropped]).toEqual([1, 0, 'AbortError']);
    await stage.endAll();
    await Promise.all(kept);
    expect(stage.began).toEqual(['a', 'c']);
    one.free();
  });
});

test('limitFunction() can share a limit', async () => {
  const { ours, theirs, stage } = pair(1);
  const limited = limitFunction(stage.play, theirs);
  const calls = [limited('a'), ours(stage.play, 'b')];
  await turns();
  expect(stage.running).toEqual(['a']);
  await stage.endAll();
  await Promise.all(calls);
});

test('free() returns all memory of the limit', () => {
  const used = (): number => arena.inspect().used;
  for (let round = 0; round < 50; round++) createLimit({ concurrency: 3, arena, name: `${round}` }).free();
  const before = used();
  for (let round = 0; round < 2000; round++) {
    const limit = createLimit(3, { arena });
    limit.concurrency = 1 + (round % 5);
    limit.free();
  }
  expect(used()).toBe(before);
});

test('createLimit.from() throws for a handle whose size lies in another arena than its slots, and that arena is unchanged', () => {
  const elsewhere = Arena.create({ maxPages: 4 });
  const [ours, theirs] = [createLimit({ concurrency: 2, arena }), createLimit({ concurrency: 5, arena: elsewhere })];
  const mixed = { ...ours.handle, size: theirs.handle.size } as LimitHandle;
  expect(
    hasCode(
      failureOf(() => createLimit.from(mixed)),
      'SLUICE_HANDLE',
    ),
  ).toBe(true);
  expect([ours.concurrency, theirs.concurrency]).toEqual([2, 5]);
});

test('createLimit.from() throws for a handle whose size is too short a region', () => {
  const limit = createLimit({ concurrency: 2, arena });
  const short = Region.create(4, { arena });
  expect(
    hasCode(
      failureOf(() => createLimit.from({ ...limit.handle, size: short.handle })),
      'SLUICE_HANDLE',
    ),
  ).toBe(true);
});

function failureOf(call: () => unknown): unknown {
  try {
    return call();
  } catch (failure) {
    return failure;
  }
}
