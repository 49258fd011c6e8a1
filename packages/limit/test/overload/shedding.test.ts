// Limits with a maximum of waiting calls, over all agents.

import { Arena, hasCode, Semaphore } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { openAs, secondAgent } from '../../../core/test/support/second-agent.ts';
import { createLimit, type Limit, OverloadedError, type SheddingOptions } from '../../src/index.ts';
import { Stage, turns } from '../support/gate.ts';
import '../support/kernel.ts';

const arena = Arena.create({ maxPages: 64 });

/** A limit of one call, and the outcomes of its calls. */
class Scene {
  readonly stage = new Stage();
  readonly limit: Limit;
  readonly outcomes: string[] = [];

  constructor(options: SheddingOptions, concurrency = 1) {
    this.limit = createLimit({ concurrency, arena, name: 'jobs', ...options });
  }

  /** Makes calls with these names. */
  async call(names: string, limit = this.limit, priority = 0): Promise<void> {
    for (const name of names)
      void limit.run(this.stage.play, { args: [name], priority }).then(
        () => this.outcomes.push(name),
        (failure: unknown) => this.outcomes.push(`${name} ${(failure as { readonly code: string }).code}`),
      );
    await turns();
  }

  /** Takes the only slot. Returns a function that releases it at once. */
  async holdSlot(): Promise<() => void> {
    const slot = Semaphore.from(this.limit.handle.slots);
    await slot.acquireAsync();
    return () => slot.release();
  }

  other(): Limit {
    return openAs(secondAgent(arena), this.limit.handle, (handle) => createLimit.from(handle));
  }

  /** Ends all calls. Then every place is free, and the limit can be freed. */
  async end(): Promise<void> {
    await this.stage.endAll();
    expect(this.limit.inspect()).toMatchObject({ activeCount: 0, pendingCount: 0, holders: [], waiters: [] });
    this.limit.free();
  }
}

const SHED = 'SLUICE_OVERLOADED';

describe("shed: 'newest'", () => {
  test('a call beyond maxWaiting rejects with OverloadedError, and the others run in their order', async () => {
    const scene = new Scene({ maxWaiting: 2 });
    await scene.call('abcde');
    expect(scene.outcomes).toEqual([`d ${SHED}`, `e ${SHED}`]);
    expect(scene.limit.inspect()).toMatchObject({
      activeCount: 1,
      pendingCount: 2,
      shedding: { maxWaiting: 2, shed: 'newest', shedCount: 2 },
    });
    await scene.end();
    expect(scene.stage.began).toEqual(['a', 'b', 'c']);
  });

  test('the error has a code, a name, and a message with the limit and the maximum', async () => {
    const scene = new Scene({ maxWaiting: 1 });
    await scene.call('ab');
    const failure: unknown = await scene.limit(() => 1).catch((reason: unknown) => reason);
    expect(failure).toBeInstanceOf(OverloadedError);
    expect(hasCode(failure, 'SLUICE_OVERLOADED')).toBe(true);
    expect(String(failure)).toBe(
      "OverloadedError: Limit 'jobs' has 1 waiting call, which is the maximum (maxWaiting). The function was not called.",
    );
    await scene.end();
  });

  test('maxWaiting: 0 runs a call at once or rejects it', async () => {
    const scene = new Scene({ maxWaiting: 0 }, 2);
    await scene.call('abc');
    expect([scene.stage.running, scene.outcomes]).toEqual([['a', 'b'], [`c ${SHED}`]]);
    await scene.stage.end('a');
    await scene.call('d');
    expect(scene.stage.running).toEqual(['b', 'd']);
    await scene.end();
  });

  test('a place is free again when its call starts, is aborted, times out or is cleared', async () => {
    const scene = new Scene({ maxWaiting: 1 });
    const abort = new AbortController();
    await scene.call('a');
    const aborted = scene.limit.run(() => 1, { signal: abort.signal });
    abort.abort('enough');
    await expect(aborted).rejects.toBe('enough');
    await expect(scene.limit.run(() => 1, { timeout: 1 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
    void scene.limit(() => 1);
    scene.limit.clearQueue();
    await scene.call('bc');
    expect(scene.outcomes).toEqual([`c ${SHED}`]);
    await scene.stage.end('a');
    await scene.call('de');
    expect(scene.outcomes).toEqual([`c ${SHED}`, 'a', `e ${SHED}`]);
    await scene.end();
  });

  test('a call with timeout: 0 times out, and takes no place', async () => {
    const scene = new Scene({ maxWaiting: 0 });
    await scene.call('a');
    await expect(scene.limit.run(() => 1, { timeout: 0 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
    expect(scene.limit.inspect().shedding?.shedCount).toBe(0);
    await scene.end();
  });

  test('the waiting calls of all agents count', async () => {
    const scene = new Scene({ maxWaiting: 2 });
    const other = scene.other();
    await scene.call('ab');
    await scene.call('c', other);
    await scene.call('d', other);
    await scene.call('e');
    expect(scene.outcomes).toEqual([`d ${SHED}`, `e ${SHED}`]);
    expect(other.inspect().shedding).toEqual({ maxWaiting: 2, shed: 'newest', shedCount: 2 });
    await scene.end();
  });

  test('a loop of calls that are all refused lets the event loop turn', async () => {
    const scene = new Scene({ maxWaiting: 0 });
    await scene.call('a');
    const turned = new AbortController();
    setImmediate(() => turned.abort());
    while (!turned.signal.aborted) await scene.limit(() => 1).catch(() => undefined);
    await scene.end();
  });

  test('close rejects the waiting calls, and their places are free', async () => {
    const scene = new Scene({ maxWaiting: 1 });
    await scene.call('ab');
    scene.limit.close();
    await turns();
    expect(scene.outcomes).toEqual(['b SLUICE_CLOSED']);
    await scene.end();
  });
});

describe("shed: 'oldest'", () => {
  test('the call that has waited longest rejects, and the new one waits', async () => {
    const scene = new Scene({ maxWaiting: 2, shed: 'oldest' });
    await scene.call('abcde');
    expect(scene.outcomes).toEqual([`b ${SHED}`, `c ${SHED}`]);
    expect(scene.limit.inspect()).toMatchObject({ pendingCount: 2, shedding: { shed: 'oldest', shedCount: 2 } });
    await scene.end();
    expect(scene.stage.began).toEqual(['a', 'd', 'e']);
  });

  test('calls of a lower priority reject first, and a new one of a still lower priority rejects itself', async () => {
    const scene = new Scene({ maxWaiting: 2, shed: 'oldest' });
    await scene.call('ab');
    await scene.call('c', scene.limit, 2);
    await scene.call('d', scene.limit, -1);
    await scene.call('e', scene.limit, 1);
    expect(scene.outcomes).toEqual([`d ${SHED}`, `b ${SHED}`]);
    await scene.end();
    expect(scene.stage.began).toEqual(['a', 'c', 'e']);
  });

  test('a call takes no place of another agent', async () => {
    const scene = new Scene({ maxWaiting: 2, shed: 'oldest' });
    const other = scene.other();
    await scene.call('abc');
    await scene.call('d', other);
    expect(scene.outcomes).toEqual([`d ${SHED}`]);
    await scene.call('e');
    expect(scene.outcomes).toEqual([`d ${SHED}`, `b ${SHED}`]);
    await scene.end();
  });

  test('all limit objects of an agent share its waiting calls', async () => {
    const scene = new Scene({ maxWaiting: 1, shed: 'oldest' });
    const same = createLimit.from(scene.limit.handle);
    await scene.call('ab');
    await scene.call('c', same);
    expect([scene.outcomes, scene.limit.pendingCount, same.pendingCount]).toEqual([[`b ${SHED}`], 0, 1]);
    await scene.end();
    expect(scene.stage.began).toEqual(['a', 'c']);
  });

  test('a call takes the place in line of the call that it sheds', async () => {
    const scene = new Scene({ maxWaiting: 2, shed: 'oldest' });
    const other = scene.other();
    await scene.call('ab');
    await scene.call('c', other);
    await scene.call('d');
    await scene.stage.end('a');
    expect([scene.outcomes, scene.stage.began]).toEqual([
      [`b ${SHED}`, 'a'],
      ['a', 'd'],
    ]);
    await scene.end();
    expect(scene.stage.began).toEqual(['a', 'd', 'c']);
  });

  test('calls that shed each other leave no place in line', async () => {
    const scene = new Scene({ maxWaiting: 1, shed: 'oldest' });
    await scene.call('abcde');
    expect(scene.limit.inspect()).toMatchObject({ pendingCount: 1, waiters: [{}] });
    await scene.end();
    expect(scene.stage.began).toEqual(['a', 'e']);
  });

  test('a new call sheds another one if the oldest has its slot', async () => {
    const scene = new Scene({ maxWaiting: 2, shed: 'oldest' });
    const grant = await scene.holdSlot();
    await scene.call('ab');
    grant();
    await scene.call('cd');
    // `c` takes over the place of `a`, which has the slot. `d` sheds `b`.
    expect([scene.stage.running, scene.outcomes]).toEqual([['a'], [`b ${SHED}`]]);
    await scene.end();
    expect(scene.stage.began).toEqual(['a', 'c', 'd']);
  });

  test('maxWaiting: 0 has no oldest call, so the new one rejects', async () => {
    const scene = new Scene({ maxWaiting: 0, shed: 'oldest' });
    await scene.call('ab');
    expect(scene.outcomes).toEqual([`b ${SHED}`]);
    await scene.end();
  });
});

test.each(['newest', 'oldest'] as const)(
  "a call that was granted its slot is not shed, and no longer counts as waiting (shed: '%s')",
  async (shed) => {
    const scene = new Scene({ maxWaiting: 1, shed });
    const grant = await scene.holdSlot();
    await scene.call('a');
    grant();
    // In the same turn of the event loop: the grant has not reached the agent yet.
    await scene.call('b');
    expect([scene.stage.running, scene.outcomes]).toEqual([['a'], []]);
    expect(scene.limit.inspect()).toMatchObject({ pendingCount: 1, shedding: { shedCount: 0 } });
    await scene.call(shed === 'newest' ? 'c' : '');
    expect(scene.outcomes).toEqual(shed === 'newest' ? [`c ${SHED}`] : []);
    await scene.end();
    expect(scene.stage.began).toEqual(['a', 'b']);
  },
);

test.each(['newest', 'oldest'] as const)('a limit with an interval sheds the %s call', async (shed) => {
  const limit = createLimit({ concurrency: 1, interval: 1, intervalCap: 100, maxWaiting: 1, shed, arena });
  const stage = new Stage();
  const ends = ['a', 'b', 'c'].map((name) => limit(stage.play, name).catch((reason: unknown) => reason));
  await turns();
  expect(limit.inspect()).toMatchObject({ activeCount: 1, pendingCount: 1, shedding: { shedCount: 1 } });
  while (stage.began.length < 2) {
    await stage.endAll();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await stage.endAll();
  const kept = shed === 'newest' ? 'b' : 'c';
  expect(stage.began).toEqual(['a', kept]);
  expect((await Promise.all(ends)).map((end) => (end instanceof OverloadedError ? 'shed' : end))).toEqual(
    shed === 'newest' ? ['a', 'b', 'shed'] : ['a', 'shed', 'c'],
  );
  limit.free();
});

test('without maxWaiting, a handle has no further parts', () => {
  const limit = createLimit({ concurrency: 1, arena });
  expect(limit.handle.control).toBeUndefined();
  expect(limit.inspect()).not.toHaveProperty('shedding');
  expect(limit.inspect()).not.toHaveProperty('adaptive');
  limit.free();
});

test.each(['newest', 'oldest'] as const)(
  "a call whose signal throws when it is listened to gives its place back (shed: '%s')",
  async (shed) => {
    const scene = new Scene({ maxWaiting: 1, shed });
    await scene.call('a');
    const signal = {
      aborted: false,
      addEventListener: () => {
        throw new Error('no listeners');
      },
      removeEventListener: () => undefined,
    } as unknown as AbortSignal;
    await expect(scene.limit.run(() => 1, { signal })).rejects.toThrow('The signal');
    await scene.call('b');
    expect(scene.outcomes).toEqual([]);
    await scene.end();
    expect(scene.outcomes).toEqual(['a', 'b']);
  },
);
