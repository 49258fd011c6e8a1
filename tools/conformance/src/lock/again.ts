import { expect, test } from 'vitest';
import { turn } from '../observe.ts';
import type { ConformingLock } from '../types.ts';
import { expectFree, expectHeld, type CreatePair } from './pair.ts';

interface Promises {
  readonly owned: boolean;
  readonly reentrant: boolean;
}

/** The calls that take a lock and wait for it without a time limit. */
const WAYS: readonly (readonly [way: string, take: (lock: ConformingLock) => unknown])[] = [
  ['lock()', (lock) => lock.lock()],
  ['tryLock(Infinity)', (lock) => lock.tryLock(Infinity)],
  ['hold()', (lock) => lock.hold()],
  ['tryHold(Infinity)', (lock) => lock.tryHold(Infinity)],
];
const TRIES: typeof WAYS = [
  ['tryLock()', (lock) => lock.tryLock()],
  ['tryLock(5)', (lock) => lock.tryLock(5)],
  ['tryHold()', (lock) => lock.tryHold()],
  ['tryHold(5)', (lock) => lock.tryHold(5)],
];
const ASYNC_WAYS: typeof WAYS = [
  ['lockAsync()', (lock) => lock.lockAsync()],
  ['lockAsync({ timeout: 0 })', (lock) => lock.lockAsync({ timeout: 0 })],
  ['holdAsync()', (lock) => lock.holdAsync()],
];

/** Tests an agent that holds the lock and asks for it again. */
export function again(create: CreatePair, { owned, reentrant }: Promises): void {
  if (reentrant) enters(create);
  else tries(create);
  if (owned && !reentrant) refused(create);
}

/** The holder gets the lock again, and holds it until it has called `unlock` once per lock. */
function enters(create: CreatePair): void {
  test.each([...WAYS, ...TRIES, ...ASYNC_WAYS])(
    'the owner may lock the lock again by %s, and unlocks it as often',
    async (_, take) => {
      const pair = create();
      pair.lock.lock();
      expect([false, null]).not.toContain(await take(pair.lock));
      pair.lock.unlock();
      expectHeld(pair);
      pair.lock.unlock();
      expectFree(pair);
    },
  );

  test('nested run() and runAsync() hold the lock until the outermost one ends', async () => {
    const pair = create();
    const { lock } = pair;
    const inner = (): number => lock.run(() => 7);
    expect(lock.run(() => [inner(), pair.rival.tryLock()])).toEqual([7, false]);
    expectFree(pair);
    await lock.runAsync(async () => {
      expect([await lock.runAsync(inner), lock.run(inner)]).toEqual([7, 7]);
      await turn();
      expectHeld(pair);
    });
    expectFree(pair);
  });

  test('a hundred locks of one holder, by guards and by lock(), are unlocked one by one', () => {
    const pair = create();
    const guards = Array.from({ length: 50 }, () => pair.lock.hold());
    for (let depth = 0; depth < 50; depth++) pair.lock.lock();
    for (const guard of guards) guard.release();
    for (let depth = 0; depth < 50; depth++) {
      expectHeld(pair);
      pair.lock.unlock();
    }
    expectFree(pair);
  });
}

/** The holder cannot get the lock without a wait. */
function tries(create: CreatePair): void {
  test.each(TRIES)('the owner does not get the lock again by %s', (_, take) => {
    const pair = create();
    pair.lock.lock();
    expect([false, null]).toContain(take(pair.lock));
    pair.lock.unlock();
    expectFree(pair);
  });

  test('a task of the agent that holds the lock waits like other agents', async () => {
    const pair = create();
    pair.lock.lock();
    let got = false;
    const waiter = pair.lock.lockAsync().then(() => (got = true));
    await turn();
    expect(got).toBe(false);
    pair.lock.unlock();
    await waiter;
    expectHeld(pair);
    pair.lock.unlock();
    expectFree(pair);
  });
}

/** The call throws, because the holder would wait for itself forever. */
function refused(create: CreatePair): void {
  const body = (): never => {
    throw new Error('The callback was called.');
  };
  const ways: typeof WAYS = [...WAYS, ['run()', (lock) => lock.run(body)]];

  test.each(ways)('a second lock of the owner by %s throws, and the owner still holds the lock', (_, take) => {
    const pair = create();
    pair.lock.lock();
    expect(() => take(pair.lock)).toThrow(
      expect.objectContaining({ name: 'MisuseError', code: 'SLUICE_MISUSE' }) as Error,
    );
    expectHeld(pair);
    pair.lock.unlock();
    expectFree(pair);
  });
}
