// Tests the promises of a condition to agents of one thread.

import { Arena, MisuseError } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import { engineNamed } from '../../../core/test/support/engines.ts';
import { openAs, secondAgent } from '../../../core/test/support/second-agent.ts';
import { turn } from '../../../core/test/support/turn.ts';
import { Condition, type ConditionLock, Mutex } from '../../src/index.ts';
import { expectConditionAtRest } from './support/at-rest.ts';
import './support/kinds.ts';
import { SORTS, type Opened } from './support/sorts.ts';

const PLACES = (['wasm', 'js'] as const).flatMap((engine) =>
  SORTS.flatMap((sort) =>
    [1, 256].map((buckets) => ({ name: `${sort.name}, ${engine}, buckets: ${buckets}`, engine, buckets, sort })),
  ),
);

interface Seen {
  readonly lock: ConditionLock;
  readonly condition: Condition;
}

describe.each(PLACES)('Condition ($name)', ({ engine, buckets, sort }) => {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16, policy: { buckets } });
  const other = secondAgent(arena);

  /** A condition as seen by two agents. */
  function create(name?: string): { ours: Seen; theirs: Seen; made: Opened } {
    const made = sort.create(arena, name);
    const condition = Condition.create(made.lock, name === undefined ? {} : { name });
    const lock = openAs(other, made.handle, (handle) => sort.from(handle));
    const theirs = { lock, condition: openAs(other, condition.handle, (handle) => Condition.from(handle, lock)) };
    return { ours: { lock: made.lock, condition }, theirs, made };
  }

  /** Locks, waits, and unlocks. Records the name when the wait has ended. */
  function waits(
    { lock, condition }: Seen,
    order: string[],
    name: string,
    options?: { timeout?: number; signal?: AbortSignal },
  ): Promise<void> {
    lock.lock();
    return condition.waitAsync(options).then(
      () => {
        order.push(lock.owned ? name : `${name} without the lock`);
        lock.unlock();
      },
      (failure: unknown) => {
        order.push(
          `${name}: ${failure instanceof Error ? failure.name : String(failure)}${lock.owned ? '' : ' without the lock'}`,
        );
        lock.unlock();
      },
    );
  }

  test('a notification without a waiter has no effect', () => {
    const { ours, theirs, made } = create();
    expect([ours.condition.notify(), theirs.condition.notify(7), ours.condition.notifyAll()]).toEqual([0, 0, 0]);
    ours.lock.lock();
    expect(ours.condition.tryWait(1)).toBe(false);
    expect(ours.condition.tryWait()).toBe(false);
    ours.lock.unlock();
    expectConditionAtRest(arena, ours.condition, made);
  });

  test('waitAsync() unlocks the lock before it returns, and resolves with the lock held', async () => {
    const { ours, theirs, made } = create();
    const order: string[] = [];
    const wait = waits(ours, order, 'ours');
    expect([ours.lock.owned, theirs.lock.tryLock()]).toEqual([false, true]);
    expect(theirs.condition.notify()).toBe(1);
    await Promise.resolve();
    expect(order).toEqual([]);
    theirs.lock.unlock();
    await wait;
    expect(order).toEqual(['ours']);
    expectConditionAtRest(arena, ours.condition, made);
  });

  test('wait() hands the lock to the longest waiter, even if the caller’s turn would let it lock again', async () => {
    const { ours, theirs, made } = create();
    const order: string[] = [];
    ours.lock.lock();
    const next = theirs.lock.lockAsync();
    const wait = ours.condition.waitAsync().then(() => order.push('notified'));
    expect(ours.lock.tryLock()).toBe(false);
    await next;
    expect(theirs.condition.notify()).toBe(1);
    theirs.lock.unlock();
    await wait;
    expect([order, ours.lock.owned]).toEqual([['notified'], true]);
    ours.lock.unlock();
    expectConditionAtRest(arena, ours.condition, made);
  });

  test('notify(n) notifies the n waiters that have waited longest, of both agents', async () => {
    const { ours, theirs, made } = create();
    const order: string[] = [];
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => waits(ours, order, name));
    expect(theirs.condition.waiting).toBe(5);
    expect(theirs.condition.notify(2)).toBe(2);
    await Promise.all(all.slice(0, 2));
    expect([order, ours.condition.waiting]).toEqual([['a', 'b'], 3]);
    expect([ours.condition.notify(), ours.condition.notify(9)]).toEqual([1, 2]);
    await Promise.all(all);
    expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
    expectConditionAtRest(arena, ours.condition, made);
  });

  test('notifyAll() notifies the agents that wait at the moment of the call, and no later waiter', async () => {
    const { ours, theirs, made } = create();
    const order: string[] = [];
    const first = [waits(ours, order, 'a'), waits(theirs, order, 'b')];
    expect(theirs.condition.notifyAll()).toBe(2);
    await Promise.all(first);
    const second = waits(theirs, order, 'c');
    expect(order.toSorted()).toEqual(['a', 'b']);
    expect(ours.condition.notifyAll()).toBe(1);
    await second;
    expectConditionAtRest(arena, ours.condition, made);
  });

  test('a wait that times out or is aborted rejects with the lock held, and the next waiter gets the notification', async () => {
    const { ours, theirs, made } = create();
    const order: string[] = [];
    const controller = new AbortController();
    const late = waits(ours, order, 'late', { timeout: 1 });
    const aborted = waits(ours, order, 'aborted', { signal: controller.signal });
    const last = waits(ours, order, 'last');
    await late;
    controller.abort(new RangeError('enough'));
    await aborted;
    expect(order).toEqual(['late: TimeoutError', 'aborted: RangeError']);
    expect(theirs.condition.notify()).toBe(1);
    await last;
    expect(order.at(-1)).toBe('last');
    expectConditionAtRest(arena, ours.condition, made);
  });

  test('an aborted wait holds the lock until it has rejected', async () => {
    const { ours, theirs, made } = create();
    const order: string[] = [];
    const controller = new AbortController();
    const wait = waits(ours, order, 'aborted', { signal: controller.signal });
    theirs.lock.lock();
    controller.abort();
    await turn();
    expect(order).toEqual([]);
    theirs.lock.unlock();
    await wait;
    expect(order).toEqual(['aborted: AbortError']);
    expectConditionAtRest(arena, ours.condition, made);
  });

  test('a call with an aborted signal or timeout 0 rejects and leaves the lock locked', async () => {
    const { ours, made } = create();
    ours.lock.lock();
    await expect(ours.condition.waitAsync({ signal: AbortSignal.abort() })).rejects.toThrow('aborted');
    await expect(ours.condition.waitAsync({ timeout: 0 })).rejects.toThrow('was not notified within 0 ms');
    expect(ours.lock.owned).toBe(true);
    ours.lock.unlock();
    expectConditionAtRest(arena, ours.condition, made);
  });

  test('waitFor() and waitForAsync() return when the predicate holds', async () => {
    const { ours, theirs, made } = create();
    let items = 0;
    ours.lock.lock();
    expect(ours.condition.waitFor(() => true)).toBe(true);
    expect(ours.condition.waitFor(() => false, 2)).toBe(false);
    const wait = ours.condition.waitForAsync(() => items > 1).then(() => ours.lock.unlock());
    for (let step = 0; step < 2; step++) {
      while (ours.condition.inspect().waiters.length === 0) await turn();
      theirs.lock.lock();
      items += 1;
      theirs.condition.notify();
      theirs.lock.unlock();
    }
    await wait;
    ours.lock.lock();
    await expect(ours.condition.waitForAsync(() => false, { timeout: 1 })).rejects.toThrow(
      'was not true within 1 ms. The lock is held.',
    );
    ours.lock.unlock();
    expectConditionAtRest(arena, ours.condition, made);
  });

  test('a failing predicate ends the call with the lock held', async () => {
    const { ours, made } = create();
    const fails = (): boolean => {
      throw new RangeError('no');
    };
    ours.lock.lock();
    expect(() => ours.condition.waitFor(fails)).toThrow('no');
    await expect(ours.condition.waitForAsync(fails)).rejects.toThrow('no');
    expect(() => ours.condition.waitFor((() => Promise.resolve(true)) as never)).toThrow(
      'must return a boolean: received a promise',
    );
    expect(ours.lock.owned).toBe(true);
    ours.lock.unlock();
    expectConditionAtRest(arena, ours.condition, made);
  });

  test('a lock may have several conditions', async () => {
    const { ours, theirs, made } = create();
    const second = Condition.create(ours.lock);
    const order: string[] = [];
    const waitsThere = waits({ lock: ours.lock, condition: second }, order, 'second');
    const wait = waits(ours, order, 'first');
    expect(theirs.condition.notifyAll()).toBe(1);
    await wait;
    expect([order, second.notifyAll()]).toEqual([['first'], 1]);
    await waitsThere;
    expectConditionAtRest(arena, ours.condition, made);
    second.free();
  });

  test('free() throws while an agent waits, or was notified and does not own the lock yet', async () => {
    const { ours, theirs, made } = create('jobs');
    const order: string[] = [];
    const wait = waits(ours, order, 'ours');
    expect(() => theirs.condition.free()).toThrow(MisuseError);
    theirs.lock.lock();
    theirs.condition.notify();
    expect(() => theirs.condition.free()).toThrow(
      "Condition 'jobs' is in use and cannot be freed. A waiter was notified and does not own the lock yet.",
    );
    theirs.lock.unlock();
    await wait;
    expectConditionAtRest(arena, ours.condition, made);
    ours.condition.free();
    expect(() => theirs.condition.notify()).toThrow('was freed');
    expect(() => theirs.condition.notifyAll()).toThrow('was freed');
  });

  test('a blocking wait throws while an async wait of the same agent waits for the condition or the lock', async () => {
    const { ours, theirs, made } = create();
    const order: string[] = [];
    const here = waits(ours, order, 'async');
    ours.lock.lock();
    expect(() => ours.condition.wait()).toThrow('would block this agent behind 1 async wait');
    expect(ours.lock.owned).toBe(true);
    ours.lock.unlock();
    theirs.condition.notify();
    await here;
    expectConditionAtRest(arena, ours.condition, made);
  });

  test('inspect() and console.log report the waiters', async () => {
    const { ours, theirs, made } = create('jobs');
    const order: string[] = [];
    const wait = waits(ours, order, 'ours');
    expect(theirs.condition.inspect()).toMatchObject({ kind: 'condition', name: 'jobs', waiters: [{ kind: 'async' }] });
    expect(arena.inspect().agents.flatMap(({ holds }) => holds)).toEqual([]);
    expect(String(theirs.condition)).toBe("Condition 'jobs'");
    theirs.condition.notify();
    await wait;
    expectConditionAtRest(arena, ours.condition, made);
  });
});

test('Condition.from() throws for the handle of a condition of another lock', () => {
  const [one, other] = [Mutex.create(), Mutex.create()];
  const condition = Condition.create(one);
  expect(() => Condition.from(condition.handle, other)).toThrow('refers to a condition of a lock other than');
  expect(Condition.from(condition.handle, one).lock).toBe(one);
});
