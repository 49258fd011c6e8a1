// Tests the depth of the recursive mutex, which other owned locks lack.

import { Arena } from '@sluice/core';
import { expect, test } from 'vitest';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { turn } from '../../core/test/support/turn.ts';
import { RecursiveMutex } from '../src/index.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import './support/kinds.ts';

const MAX_DEPTH = 65_535;

function create(engine: 'wasm' | 'js' = 'wasm'): { arena: Arena; ours: RecursiveMutex; theirs: RecursiveMutex } {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 4 });
  const ours = RecursiveMutex.create({ arena });
  return { arena, ours, theirs: openAs(secondAgent(arena), ours.handle, (handle) => RecursiveMutex.from(handle)) };
}

test('inspect() reports the depth after every way of locking, and other agents get the mutex only after the outermost unlock', async () => {
  const { arena, ours, theirs } = create();
  const depths: number[] = [];
  const note = (): void => void depths.push(ours.inspect().depth);
  note();
  ours.lock();
  note();
  ours.tryLock();
  note();
  await ours.lockAsync();
  note();
  const guard = ours.hold();
  note();
  ours.run(note);
  await ours.runAsync(note);
  guard.release();
  note();
  expect(depths).toEqual([0, 1, 2, 3, 4, 5, 5, 3]);
  for (const depth of [2, 1, 0]) {
    expect(theirs.tryLock()).toBe(false);
    ours.unlock();
    expect(ours.inspect()).toMatchObject({ depth, owner: depth === 0 ? 0 : arena.agentId });
  }
  expectAtRest(arena, ours.handle);
});

test.each(['wasm', 'js'] as const)(
  'the maximum depth is 65,535, and one more lock throws and changes nothing (%s)',
  async (engine) => {
    const { arena, ours, theirs } = create(engine);
    for (let depth = 1; depth < MAX_DEPTH; depth++) ours.lock();
    expect(ours.tryLock()).toBe(true);
    const before = ours.inspect();
    expect(before).toMatchObject({ depth: MAX_DEPTH, owner: arena.agentId });
    const body = (): never => {
      throw new Error('The callback was called.');
    };
    const deeper = [
      () => ours.lock(),
      () => ours.tryLock(),
      () => ours.tryLock(5),
      () => ours.tryLock(Infinity),
      () => ours.hold(),
      () => ours.tryHold(),
      () => ours.run(body),
    ];
    for (const lock of deeper) expect(lock).toThrow(RangeError);
    for (const lock of [() => ours.lockAsync(), () => ours.holdAsync(), () => ours.runAsync(body)]) {
      await expect(lock()).rejects.toThrow(
        'is locked 65535 times by this agent, which is the maximum depth. It was not locked again.',
      );
    }
    expect([ours.inspect(), theirs.tryLock()]).toEqual([before, false]);
    ours.unlock();
    ours.lock();
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      if (depth === MAX_DEPTH - 1) expect(theirs.tryLock()).toBe(false);
      ours.unlock();
    }
    expect(() => ours.unlock()).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
    expectAtRest(arena, ours.handle);
  },
);

test('the next owner of a mutex that was locked five times starts at depth 1', async () => {
  const { arena, ours, theirs } = create();
  for (let depth = 0; depth < 5; depth++) ours.lock();
  const wait = theirs.lockAsync();
  for (let depth = 0; depth < 5; depth++) {
    await turn();
    expect(theirs.owned).toBe(false);
    ours.unlock();
  }
  await wait;
  expect(theirs.inspect().depth).toBe(1);
  theirs.unlock();
  expectAtRest(arena, ours.handle);
});

test('the owner locks again before all waiters, which keep their order', async () => {
  const { arena, ours, theirs } = create();
  ours.lock();
  const order: string[] = [];
  const waits = ['first', 'second'].map((name) =>
    theirs.lockAsync().then(() => {
      order.push(name);
      theirs.unlock();
    }),
  );
  await ours.runAsync(() => ours.run(() => order.push('owner')));
  ours.unlock();
  await Promise.all(waits);
  expect(order).toEqual(['owner', 'first', 'second']);
  expectAtRest(arena, ours.handle);
});

test('a task of the owner locks at once although another task of the same agent locked first', async () => {
  const { arena, ours } = create();
  let both = 0;
  let most = 0;
  const visit = (): Promise<void> =>
    ours.runAsync(async () => {
      most = Math.max(most, ++both);
      await turn();
      both -= 1;
    });
  await Promise.all([visit(), visit(), visit()]);
  expect(most).toBe(3);
  expectAtRest(arena, ours.handle);
});

test('two tasks that call lockAsync() while another agent owns the mutex wait separately', async () => {
  const { arena, ours, theirs } = create();
  theirs.lock();
  const waits = [ours.lockAsync(), ours.lockAsync()];
  expect(ours.inspect().waiters).toHaveLength(2);
  theirs.unlock();
  await waits[0];
  expect(ours.inspect()).toMatchObject({ depth: 1, waiters: [{ agent: arena.agentId, kind: 'async' }] });
  ours.unlock();
  await waits[1];
  ours.unlock();
  expectAtRest(arena, ours.handle);
});

test('run() nested 500 times unlocks at every level when the innermost callback throws', () => {
  const { arena, ours } = create();
  const depth = (left: number): number =>
    ours.run(() => {
      if (left > 0) return depth(left - 1);
      throw new Error('thrown at the innermost level');
    });
  expect(() => depth(500)).toThrow('thrown at the innermost level');
  expectAtRest(arena, ours.handle);
});

test('the owner may lock again although it has an async wait', async () => {
  const { arena, ours, theirs } = create();
  theirs.lock();
  const [first, second] = [ours.lockAsync(), ours.lockAsync()];
  theirs.unlock();
  await first;
  ours.lock();
  expect(ours.inspect().depth).toBe(2);
  ours.unlock();
  ours.unlock();
  await second;
  ours.unlock();
  expectAtRest(arena, ours.handle);
});
