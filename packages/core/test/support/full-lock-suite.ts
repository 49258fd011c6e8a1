// Tests an owned lock in a full arena.

import { expect, test } from 'vitest';
import type { Arena, PrimitiveHandle } from '../../src/index.ts';
import { expectAtRest, officeAt } from './at-rest.ts';
import { FULL, fullArena } from './full-arena.ts';
import { openAs, secondAgent } from './second-agent.ts';
import { withoutAges } from './without-ages.ts';

interface Lock {
  readonly handle: PrimitiveHandle<string>;
  lock(): void;
  tryLock(timeout?: number): boolean;
  lockAsync(options?: { readonly timeout?: number; readonly signal?: AbortSignal }): Promise<unknown>;
  run(body: () => unknown): unknown;
  runAsync(body: () => unknown): Promise<unknown>;
  unlock(): void;
  free(): void;
  inspect(): unknown;
}

export interface FullLockKind<L extends Lock> {
  create(options: { readonly arena: Arena }): L;
  from(handle: L['handle']): L;
}

const REFUSED = expect.objectContaining(FULL) as Error;

/** `warm`: whether the memory exists that an agent's first lock takes besides its own line. */
export function fullLockSuite<L extends Lock>(
  kind: FullLockKind<L>,
  warm: (arena: Arena) => unknown = () => undefined,
): void {
  test('create() in an arena without room throws and changes nothing', () => {
    const { arena } = fullArena(warm);
    const before = arena.inspect();
    expect(() => kind.create({ arena })).toThrow(REFUSED);
    expect(withoutAges(arena.inspect())).toEqual(withoutAges(before));
  });

  test('create() of a lock needs only its own line', () => {
    const { arena } = fullArena(warm, 1);
    const lock = kind.create({ arena });
    expect(() => kind.create({ arena })).toThrow(REFUSED);
    lock.lock();
    lock.unlock();
    lock.free();
    kind.create({ arena }).free();
  });

  test('a wait without a free element throws before it is counted', async () => {
    const { arena, prepared } = fullArena((arena) => {
      const ours = kind.create({ arena });
      const theirs = openAs(secondAgent(arena), ours.handle, (handle) => kind.from(handle));
      theirs.lock();
      return { ours, theirs };
    });
    const { ours, theirs } = prepared;
    const before = [ours.inspect(), arena.inspect(), officeAt(arena, ours.handle.address)];
    for (const call of [() => ours.lock(), () => ours.tryLock(5), () => ours.run(() => 0)])
      expect(call).toThrow(REFUSED);
    for (const call of [() => ours.lockAsync(), () => ours.lockAsync({ timeout: 5 }), () => ours.runAsync(() => 0)]) {
      await expect(call()).rejects.toMatchObject(FULL);
    }
    expect(withoutAges([ours.inspect(), arena.inspect(), officeAt(arena, ours.handle.address)])).toEqual(
      withoutAges(before),
    );
    expect(ours.tryLock()).toBe(false);
    theirs.unlock();
    ours.lock();
    ours.unlock();
    expectAtRest(arena, ours.handle);
  });

  test('with every element in use all waiters can be cancelled, since cancelling needs no memory', async () => {
    const controllers = Array.from({ length: 16 }, () => new AbortController());
    const { arena, prepared } = fullArena((arena) => {
      const ours = kind.create({ arena });
      const theirs = openAs(secondAgent(arena), ours.handle, (handle) => kind.from(handle));
      ours.lock();
      return {
        ours,
        waits: controllers.map(({ signal }) => theirs.lockAsync({ signal }).catch((reason: unknown) => reason)),
      };
    });
    const { ours, waits } = prepared;
    expect(arena.inspect().elements).toEqual({ total: 16, free: 0, waiting: 16, abandoned: 0 });
    const { used } = arena.inspect();
    for (const [index, controller] of controllers.entries()) if (index % 2 === 0) controller.abort('even');
    for (const controller of controllers) controller.abort('odd');
    expect(await Promise.all(waits)).toEqual(controllers.map((_, index) => (index % 2 === 0 ? 'even' : 'odd')));
    expect(arena.inspect().used).toBe(used);
    ours.unlock();
    expectAtRest(arena, ours.handle);
  });
}
