// The promises of a once to agents of one thread.

import { Arena, ClosedError, DeadlockError, MisuseError, Region } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { engineNamed } from '../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Once, type OnceOptions } from '../src/index.ts';
import './support/kinds.ts';
import { expectOnceAtRest } from './support/once-rest.ts';

const PLACES = (['wasm', 'js'] as const).flatMap((engine) =>
  [1, 256].map((buckets) => ({ name: `${engine}, buckets: ${buckets}`, engine, buckets })),
);
const turns = (): Promise<void> => new Promise((later) => setImmediate(later));

function failing(): never {
  throw new Error('no table');
}

/** An async initialiser that the test ends. */
function pending(): {
  readonly run: () => Promise<void>;
  readonly end: () => void;
  readonly fail: (reason: Error) => void;
  calls: number;
} {
  let end = (): void => undefined;
  let fail = (_reason: Error): void => undefined;
  const settled = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  const made = {
    calls: 0,
    run: () => {
      made.calls += 1;
      return settled;
    },
    end: () => end(),
    fail: (reason: Error) => fail(reason),
  };
  return made;
}

describe.each(PLACES)('Once ($name)', ({ engine, buckets }) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16, policy: { buckets } });
  const other = secondAgent(arena);

  /** Two instances of one once, one per agent. */
  function create(options: OnceOptions = {}): { ours: Once; theirs: Once } {
    const ours = Once.create({ arena, ...options });
    return { ours, theirs: openAs(other, ours.handle, (handle) => Once.from(handle)) };
  }

  test('the first call runs its initialiser, and no later call of any agent in any form runs one', async () => {
    const { ours, theirs } = create();
    const ran: string[] = [];
    ours.run(() => ran.push('first'));
    for (const once of [ours, theirs]) {
      once.run(() => ran.push('run'));
      expect([once.tryRun(() => ran.push('tryRun')), once.tryRun(() => ran.push('tryRun'), 5), once.isDone]).toEqual([
        true,
        true,
        true,
      ]);
      await once.runAsync(() => void ran.push('runAsync'));
      await once.runAsync(() => void ran.push('runAsync'), { timeout: 0 });
      once.wait();
      expect([once.tryWait(), once.tryWait(5)]).toEqual([true, true]);
      await once.waitAsync({ timeout: 0 });
    }
    expect(ran).toEqual(['first']);
    expectOnceAtRest(arena, ours, 'done');
  });

  test("the initialiser's writes are visible to an agent that finds the once done", () => {
    for (let round = 1; round <= 50; round++) {
      const { ours, theirs } = create();
      const table = Region.create(4, { arena }).int32;
      theirs.run(() => (table[0] = round));
      expect([ours.isDone, table[0]]).toEqual([true, round]);
      ours.free();
    }
  });

  test('a call throws the error of its initialiser, and the next call tries again', () => {
    const { ours, theirs } = create();
    expect(() => ours.run(failing)).toThrow('no table');
    expect(() => theirs.tryRun(failing)).toThrow('no table');
    expect([ours.isDone, ours.inspect().failures]).toEqual([false, 2]);
    let ran = 0;
    theirs.run(() => (ran += 1));
    ours.run(() => (ran += 1));
    expect([ran, ours.isDone, ours.inspect().failures]).toEqual([1, true, 2]);
    expectOnceAtRest(arena, ours, 'done');
  });

  test('other agents wait while an async initialiser runs, until its promise has settled', async () => {
    const { ours, theirs } = create();
    const slow = pending();
    const order: string[] = [];
    const first = theirs.runAsync(slow.run).then(() => order.push('first'));
    const rest = [ours.runAsync(failing), theirs.runAsync(failing), ours.waitAsync(), theirs.waitAsync()].map((call) =>
      call.then(() => order.push('rest')),
    );
    await turns();
    expect([
      order,
      ours.inspect().runner,
      ours.inspect().waiters.length,
      ours.tryRun(failing),
      ours.tryRun(failing, 1),
      ours.tryWait(1),
    ]).toEqual([[], other.agentId, 4, false, false, false]);
    slow.end();
    await Promise.all([first, ...rest]);
    expect([order.length, slow.calls]).toEqual([5, 1]);
    expectOnceAtRest(arena, ours, 'done');
  });

  test('after an async initialiser has failed, one of the waiting calls tries, and wait() lasts until one succeeds', async () => {
    const { ours, theirs } = create();
    const [bad, good, never] = [pending(), pending(), pending()];
    const first = theirs.runAsync(bad.run);
    const waits = [ours.waitAsync(), theirs.waitAsync()];
    const next = [ours.runAsync(good.run), ours.runAsync(never.run)];
    bad.fail(new Error('no table'));
    await expect(first).rejects.toThrow('no table');
    while (ours.inspect().runner === 0) await turns();
    expect([good.calls + never.calls, ours.inspect().runner, ours.inspect().failures]).toEqual([1, arena.agentId, 1]);
    good.end();
    never.end();
    await Promise.all([...waits, ...next]);
    expect(good.calls + never.calls).toBe(1);
    expectOnceAtRest(arena, ours, 'done');
  });

  test('a wait that begins before the first attempt ends with it', async () => {
    const { ours, theirs } = create();
    let isOver = false;
    const wait = theirs.waitAsync().then(() => (isOver = true));
    expect(() => ours.run(failing)).toThrow('no table');
    // The failed attempt has admitted the waiter, which waits again after a turn of its event loop.
    while (ours.waiting === 0) await turns();
    expect([isOver, ours.waiting, ours.tryWait()]).toEqual([false, 1, false]);
    ours.run(() => undefined);
    await wait;
    expectOnceAtRest(arena, ours, 'done');
  });

  test('a call that times out or is aborted does not affect the attempt or other calls', async () => {
    const { ours, theirs } = create({ name: 'table' });
    const slow = pending();
    const controller = new AbortController();
    const first = theirs.runAsync(slow.run);
    const [gone, late] = [ours.runAsync(failing, { signal: controller.signal }), ours.waitAsync({ timeout: 2 })];
    const stays = ours.waitAsync();
    controller.abort('no longer');
    await expect(gone).rejects.toBe('no longer');
    await expect(late).rejects.toMatchObject({
      name: 'TimeoutError',
      code: 'SLUICE_TIMEOUT',
      message: `Once 'table' was not done within 2 ms: run by agent ${other.agentId} (main thread), 1 waiter in line. It was not changed.`,
    });
    await expect(ours.runAsync(failing, { timeout: 0 })).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
    slow.end();
    await Promise.all([first, stays]);
    expectOnceAtRest(arena, ours, 'done');
  });

  test('a timeout covers the wait over several attempts, and its message names the failed ones', async () => {
    const { ours, theirs } = create({ name: 'table' });
    const bad = pending();
    const first = theirs.runAsync(bad.run);
    const late = ours.waitAsync({ timeout: 30 });
    bad.fail(new Error('no table'));
    await expect(first).rejects.toThrow('no table');
    await expect(late).rejects.toMatchObject({
      code: 'SLUICE_TIMEOUT',
      message: "Once 'table' was not done within 30 ms: idle, 1 attempt failed. It was not changed.",
    });
    expectOnceAtRest(arena, ours, 'idle');
  });

  test('timeout and signal do not end the initialiser of their own call', async () => {
    const { ours, theirs } = create();
    const controller = new AbortController();
    const slow = pending();
    const call = ours.runAsync(slow.run, { timeout: 1, signal: controller.signal });
    controller.abort();
    // A later call with a longer timeout: that of the first call is over, too.
    await expect(theirs.runAsync(() => undefined, { timeout: 2 })).rejects.toThrow('was not done within 2 ms');
    slow.end();
    await call;
    expect(ours.isDone).toBe(true);
  });

  test("a call inside the once's own initialiser that would wait for it throws a DeadlockError, and the attempt may still succeed", () => {
    const { ours } = create({ name: 'table' });
    const twin = Once.from(ours.handle);
    const calls: (() => unknown)[] = [
      ...[ours, twin].flatMap((once) => [
        () => once.run(failing),
        () => once.tryRun(failing, 5),
        () => once.tryRun(failing, Infinity),
        () => once.wait(),
        () => once.tryWait(5),
      ]),
    ];
    ours.run(() => {
      for (const call of calls) {
        expect(call).toThrow(DeadlockError);
        expect(call).toThrow(`Once 'table': this agent (agent ${arena.agentId}) runs its initialiser`);
      }
      expect([ours.tryRun(failing), ours.tryWait(), ours.isDone]).toEqual([false, false, false]);
    });
    expectOnceAtRest(arena, ours, 'done');
  });

  test('a call inside an async initialiser, before its first await, throws a DeadlockError, through any instance', async () => {
    const { ours } = create();
    const twin = Once.from(ours.handle);
    await ours.runAsync(async () => {
      const calls = [ours, twin].flatMap((once) => [
        once.runAsync(failing, { timeout: 1 }),
        once.waitAsync({ timeout: 1 }),
      ]);
      await Promise.all(calls.map((call) => expect(call).rejects.toBeInstanceOf(DeadlockError)));
    });
    const next = create().ours;
    await expect(next.runAsync(() => next.waitAsync())).rejects.toBeInstanceOf(DeadlockError);
    expect([ours.isDone, next.isDone]).toEqual([true, false]);
    // After the first await, the call waits as any other call does, until its timeout.
    await expect(
      next.runAsync(async () => {
        await turns();
        await next.waitAsync({ timeout: 1 });
      }),
    ).rejects.toMatchObject({ code: 'SLUICE_TIMEOUT' });
    expectOnceAtRest(arena, next, 'idle');
  });

  test('a blocking call while an async initialiser of its agent runs throws a DeadlockError', async () => {
    const { ours, theirs } = create();
    const slow = pending();
    const first = ours.runAsync(slow.run);
    for (const call of [() => ours.run(failing), () => ours.wait(), () => ours.tryWait(5)])
      expect(call).toThrow(DeadlockError);
    expect(theirs.tryWait(1)).toBe(false);
    slow.end();
    await first;
    ours.run(failing);
  });

  test('run() throws for a function that returns a promise, and the attempt has failed', async () => {
    const { ours } = create({ name: 'table' });
    const result = Promise.resolve();
    let failure: unknown;
    try {
      ours.run(() => result as unknown as undefined);
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(MisuseError);
    expect(failure).toMatchObject({
      cause: result,
      message: expect.stringContaining(
        "Once 'table': its initialiser returned a promise, but this call does not wait for promises. Use runAsync.",
      ) as string,
    });
    expect(ours.isDone).toBe(false);
    await ours.runAsync(() => result);
    expectOnceAtRest(arena, ours, 'done');
  });

  test('run() throws for an async function and for a generator function, and no attempt begins', async () => {
    const { ours } = create({ name: 'table' });
    const refused = "Once 'table' cannot be initialised by ";
    const later: () => unknown = async () => Promise.resolve();
    const steps = function* (): Generator<void> {
      yield undefined;
    };
    for (const call of [() => ours.run(later), () => ours.tryRun(later, 5)]) {
      expect(call).toThrow(
        `${refused}an async function: its statements would run after the call has returned. Use runAsync. The function was not called.`,
      );
    }
    expect(() => ours.run(steps as unknown as () => void)).toThrow(`${refused}a generator function`);
    await expect(ours.runAsync(steps as unknown as () => void)).rejects.toThrow(`${refused}a generator function`);
    expect(ours.inspect()).toMatchObject({ state: 'idle', failures: 0 });
  });

  test('close() ends the waits, and no further initialiser begins', async () => {
    const { ours, theirs } = create({ name: 'table' });
    const waits = [ours.waitAsync(), theirs.waitAsync()].map((wait) => wait.catch((reason: unknown) => reason));
    expect([theirs.close(), ours.close()]).toEqual([true, false]);
    for (const reason of await Promise.all(waits))
      expect(reason).toMatchObject({
        name: 'ClosedError',
        code: 'SLUICE_CLOSED',
        message: "Once 'table' is closed. It was not changed.",
      });
    for (const call of [
      () => ours.run(failing),
      () => theirs.tryRun(failing),
      () => ours.wait(),
      () => theirs.tryWait(),
    ])
      expect(call).toThrow(ClosedError);
    await expect(ours.runAsync(failing)).rejects.toBeInstanceOf(ClosedError);
    expect(ours.isDone).toBe(false);
    expectOnceAtRest(arena, ours, 'closed');
    ours.free();
  });

  test("close() while an initialiser runs ends the waits, and the call throws ClosedError or the initialiser's error", async () => {
    for (const fails of [false, true]) {
      const { ours, theirs } = create({ name: 'table' });
      const slow = pending();
      const first = theirs.runAsync(slow.run);
      const wait = ours.waitAsync();
      expect([ours.close(), ours.inspect().state]).toEqual([true, 'closed']);
      await expect(wait).rejects.toBeInstanceOf(ClosedError);
      expect(() => ours.free()).toThrow('is in use and cannot be freed');
      if (fails) slow.fail(new Error('no table'));
      else slow.end();
      await expect(first).rejects.toThrow(
        fails ? 'no table' : "Once 'table' is closed. The initialiser has run, and its result was dropped.",
      );
      expectOnceAtRest(arena, ours, 'closed');
      ours.free();
    }
  });

  test('close() of a completed once has no effect', () => {
    const { ours, theirs } = create();
    ours.run(() => undefined);
    expect([theirs.close(), ours.isDone]).toEqual([false, true]);
    theirs.run(failing);
  });

  test('thousands of aborted waits use no more memory than the first few', async () => {
    const { ours, theirs } = create();
    const slow = pending();
    const first = theirs.runAsync(slow.run);
    const round = async (): Promise<void> => {
      const controller = new AbortController();
      const { signal } = controller;
      const gone = [ours.waitAsync({ signal }), ours.runAsync(failing, { signal }), theirs.waitAsync({ signal })].map(
        (call) => call.catch(() => 'left'),
      );
      controller.abort();
      await Promise.all(gone);
    };
    // Until each agent has gathered the elements of its cancelled waits.
    for (let warm = 0; warm < 600; warm++) await round();
    const { used, elements } = arena.inspect();
    for (let count = 0; count < 300; count++) await round();
    expect(arena.inspect()).toMatchObject({ used, elements: { total: elements.total, waiting: 0 } });
    slow.end();
    await first;
    expectOnceAtRest(arena, ours, 'done');
  });

  test('every call of every agent throws after free(), even for agents that had found the once done', () => {
    const { ours, theirs } = create({ name: 'table' });
    ours.run(() => undefined);
    theirs.run(failing);
    ours.free();
    for (const once of [ours, theirs]) {
      for (const call of [
        () => once.run(failing),
        () => once.tryRun(failing),
        () => once.isDone,
        () => once.wait(),
        () => once.close(),
        () => once.free(),
      ])
        expect(call).toThrow(MisuseError);
    }
    const next = Once.create({ arena });
    expect(next.handle.address).toBe(ours.handle.address);
    next.run(() => undefined);
    // A completed once reuses the memory. The old instances do not take it for theirs.
    expect(() => theirs.run(failing)).toThrow('was freed');
    next.free();
  });

  test('the properties and inspect() report name, arena and state', () => {
    const { ours, theirs } = create({ name: 'table' });
    expect([ours.name, theirs.arena === other, String(theirs)]).toEqual(['table', true, "Once 'table'"]);
    ours.run(() => {
      expect(theirs.inspect()).toEqual({
        kind: 'once',
        name: 'table',
        state: 'running',
        runner: arena.agentId,
        runnerTitle: expect.stringMatching(/^agent \d+/) as string,
        failures: 0,
        waiters: [],
      });
      expect(() => theirs.free()).toThrow(
        `Once 'table' is in use and cannot be freed: run by agent ${arena.agentId} (main thread).`,
      );
      expect(() => arena.leave()).toThrow("still holds once 'table'");
    });
    expect(theirs.inspect()).toEqual({
      kind: 'once',
      name: 'table',
      state: 'done',
      runner: 0,
      failures: 0,
      waiters: [],
    });
  });
});
