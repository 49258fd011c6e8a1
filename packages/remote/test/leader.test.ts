// Tests a leader over a lock whose leases the test ends.

import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { lead, type LeaderLock } from '../src/primitives/leader.ts';

class Guard {
  readonly fencingToken: bigint;
  readonly #lost = new AbortController();
  released = false;

  constructor(token: number) {
    this.fencingToken = BigInt(token);
  }

  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  get held(): boolean {
    return !this.released && !this.#lost.signal.aborted;
  }

  assertHeld(): void {
    this.#lost.signal.throwIfAborted();
  }

  release(): Promise<void> {
    if (this.#lost.signal.aborted) return Promise.reject(new Error('lost'));
    this.released = true;
    return Promise.resolve();
  }

  lose(): void {
    this.#lost.abort(new Error('the lease has ended'));
  }
}

/** A lock that is always free. */
class Lock implements LeaderLock {
  readonly guards: Guard[] = [];

  holdAsync({ signal }: { readonly signal?: AbortSignal | undefined }): Promise<Guard> {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const guard = new Guard(this.guards.length + 1);
    this.guards.push(guard);
    return Promise.resolve(guard);
  }
}

/** Rejects when the signal is aborted, with its reason. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

test('the result of the body is that of the call, and the lock is released', async () => {
  const lock = new Lock();
  expect(await lead(lock, (_, { fencingToken }) => fencingToken, {})).toBe(1n);
  expect(lock.guards.map(({ released }) => released)).toEqual([true]);
});

test('an error of the body rejects the call, and the lock is released', async () => {
  const lock = new Lock();
  const failure = new Error('body');
  await expect(lead(lock, () => Promise.reject(failure), {})).rejects.toBe(failure);
  expect(lock.guards.map(({ released }) => released)).toEqual([true]);
});

test('a body that loses the leadership is told, and the process is a candidate again once it has settled', async () => {
  const lock = new Lock();
  const tokens: bigint[] = [];
  let settle: (() => void) | undefined;
  const call = lead(
    lock,
    async (signal, { fencingToken }) => {
      tokens.push(fencingToken);
      if (fencingToken === 3n) return 'done';
      if (fencingToken === 1n) return untilAborted(signal);
      await new Promise<void>((resolve) => (settle = resolve));
      return 'too late';
    },
    {},
  );
  await Promise.resolve();
  lock.guards[0]?.lose();
  while (settle === undefined) await Promise.resolve();
  lock.guards[1]?.lose();
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  // The second body still runs, so the process does not lead a second time beside it.
  expect(tokens).toEqual([1n, 2n]);
  settle();
  expect(await call).toBe('done');
  expect(tokens).toEqual([1n, 2n, 3n]);
});

test('a body that waits with a timer of Node.js is a candidate again after a loss, and an abort rejects with its reason', async () => {
  const lock = new Lock();
  const stop = new AbortController();
  const reason = new Error('shutdown');
  const call = lead(
    lock,
    async (signal, { fencingToken }) => {
      if (fencingToken === 2n) stop.abort(reason);
      await setTimeout(600_000, undefined, { signal });
    },
    { signal: stop.signal },
  );
  await Promise.resolve();
  lock.guards[0]?.lose();
  await expect(call).rejects.toBe(reason);
  expect(lock.guards.map(({ released }) => released)).toEqual([false, true]);
});

test('an error that is not the reason of the loss rejects the call, also after a loss', async () => {
  const lock = new Lock();
  const failure = new Error('disk');
  const call = lead(lock, (signal) => untilAborted(signal).catch(() => Promise.reject(failure)), {});
  await Promise.resolve();
  lock.guards[0]?.lose();
  await expect(call).rejects.toBe(failure);
  expect(lock.guards.length).toBe(1);
});

test('an abort ends the body and the call with its reason, and the lock is released', async () => {
  const lock = new Lock();
  const stop = new AbortController();
  const call = lead(lock, untilAborted, { signal: stop.signal });
  await Promise.resolve();
  const reason = new Error('shutdown');
  stop.abort(reason);
  await expect(call).rejects.toBe(reason);
  expect(lock.guards.map(({ released }) => released)).toEqual([true]);
});

test('a body that returns after an abort does not hide it', async () => {
  const stop = new AbortController();
  const reason = new Error('shutdown');
  const call = lead(
    new Lock(),
    () => {
      stop.abort(reason);
      return 'returned';
    },
    { signal: stop.signal },
  );
  await expect(call).rejects.toBe(reason);
});

test('an abort during the candidacy rejects with its reason, and the body never runs', async () => {
  const reason = new Error('shutdown');
  let runs = 0;
  await expect(lead(new Lock(), () => ++runs, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(runs).toBe(0);
});
