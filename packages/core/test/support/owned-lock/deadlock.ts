// Tests an agent that would block behind its own async wait. That wait cannot continue while the agent is blocked.

import { expect, test } from 'vitest';
import { DeadlockError } from '../../../src/index.ts';
import { expectAtRest } from '../at-rest.ts';
import { turn } from '../turn.ts';
import { Bench, type Seen } from './bench.ts';
import type { OwnedLockKind } from './kind.ts';

export function deadlocks(kind: OwnedLockKind): void {
  const bench = new Bench();
  const { arena } = bench;

  /** Returns a lock that another agent owns, and an async wait of this agent for it. */
  function awaited(): Seen & { readonly wait: Promise<void> } {
    const seen = bench.create(kind);
    seen.theirs.lock();
    return { ...seen, wait: seen.ours.lockAsync() };
  }

  async function expectGranted({ ours, theirs, wait }: ReturnType<typeof awaited>): Promise<void> {
    theirs.unlock();
    await wait;
    expect([ours.owned, ours.inspect().waiters]).toEqual([true, []]);
    ours.unlock();
    expectAtRest(arena, ours.handle);
  }

  test('a blocking call behind an async wait of its agent throws a DeadlockError and leaves the line, and the async wait stays in line', async () => {
    const seen = awaited();
    const { ours, theirs } = seen;
    const blocking = [
      () => ours.lock(),
      () => ours.hold(),
      () => ours.run(() => expect.unreachable()),
      () => ours.tryLock(Infinity),
    ];
    for (const call of blocking) expect(call).toThrow(DeadlockError);
    expect(ours.inspect()).toMatchObject({
      owner: theirs.arena.agentId,
      waiters: [{ kind: 'async' }],
      abandoned: kind.isQueued ? 1 : 0,
    });
    await expectGranted(seen);
  });

  test('lock() through another instance of the agent throws a DeadlockError too', async () => {
    const seen = awaited();
    expect(() => kind.from(seen.ours.handle).lock()).toThrow(DeadlockError);
    await expectGranted(seen);
  });

  test.skipIf(kind.order === 'any')(
    'lock() throws a DeadlockError when the lock was handed to the async wait and its task has not run yet',
    async () => {
      const { ours, theirs, wait } = awaited();
      theirs.unlock();
      expect(() => ours.lock()).toThrow(DeadlockError);
      await wait;
      expect([ours.owned, ours.inspect().waiters]).toEqual([true, []]);
      ours.unlock();
      expectAtRest(arena, ours.handle);
    },
  );

  test.runIf(kind.order === 'any')(
    'lock() takes a free lock past an async wait of its agent, which stays in line',
    async () => {
      const { ours, theirs, wait } = awaited();
      theirs.unlock();
      ours.lock();
      let isGranted = false;
      void wait.then(() => (isGranted = true));
      await turn();
      expect([ours.owned, isGranted]).toEqual([true, false]);
      ours.unlock();
      await wait;
      ours.unlock();
      expectAtRest(arena, ours.handle);
    },
  );

  test('lock() takes a free lock when the agent waits for another one, or has waited for this one', async () => {
    const { ours, theirs } = bench.create(kind);
    theirs.lock();
    const other = kind.create({ arena });
    const late = ours.lockAsync({ timeout: 1 }).catch((failure: unknown) => failure);
    other.lock();
    expect(await late).toMatchObject({ code: 'SLUICE_TIMEOUT' });
    theirs.unlock();
    ours.lock();
    ours.unlock();
    other.unlock();
    for (const lock of [ours, other]) expectAtRest(arena, lock.handle);
  });

  test('tryLock(ms) may wait behind an async wait of its agent, since its timeout ends it', async () => {
    const seen = awaited();
    expect(seen.ours.tryLock(3)).toBe(false);
    await expectGranted(seen);
  });

  test('another agent may block behind the async wait', async () => {
    const seen = awaited();
    const { ours, thirds } = seen;
    expect(thirds.tryLock(3)).toBe(false);
    await expectGranted(seen);
    thirds.lock();
    thirds.unlock();
    expectAtRest(arena, ours.handle);
  });
}
