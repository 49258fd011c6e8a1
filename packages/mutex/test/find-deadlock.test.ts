// Circles of agents that block on each other's mutexes.

import type { DeadlockedAgent } from '@sluice/core';
import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { records } from '../../core/src/arena/pool.ts';
import { HEADER_ELEMENT_POOL, MODE_BLOCKING } from '../../core/src/kernel/layout.ts';
import { CANCELLED_LEFT_BEHIND, CANCELLED } from '../../core/src/kernel/states.ts';
import { blockAll } from '../../core/test/support/knot.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import { Mutex, RecursiveMutex } from '../src/index.ts';
import type { MutexKernel } from '../src/kinds.ts';
import { asElement, asLine } from '../../core/src/kernel/addresses.ts';

interface Diner extends Agent {
  readonly id: number;
  readonly fork: Mutex;
  readonly spoon: RecursiveMutex;
  readonly knife: Mutex;
}

class Table {
  readonly world = new World({ engine: 'wasm' });
  readonly watcher = this.world.join();
  readonly fork = Mutex.create({ arena: this.watcher.arena, name: 'fork' });
  readonly spoon = RecursiveMutex.create({ arena: this.watcher.arena, name: 'spoon' });
  readonly knife = Mutex.create({ arena: this.watcher.arena, name: 'knife' });

  join(): Diner {
    const agent = this.world.join();
    return {
      ...agent,
      id: agent.context.id,
      fork: Mutex.from(this.world.handle(this.fork.handle, agent)),
      spoon: RecursiveMutex.from(this.world.handle(this.spoon.handle, agent)),
      knife: Mutex.from(this.world.handle(this.knife.handle, agent)),
    };
  }

  /** What is found while all of them sleep: agent, lock, owner, from the smallest agent on. */
  found(...calls: readonly (readonly [agent: Diner, call: () => unknown])[]): readonly (readonly [number, string, number])[] {
    const circle = blockAll(calls, () => this.watcher.arena.findDeadlock()) ?? [];
    const all = circle.map(({ agent, waitsFor, ownedBy }: DeadlockedAgent) => [agent, waitsFor.name, ownedBy] as const);
    const first = all.findIndex(([agent]) => agent === Math.min(...all.map(([agent]) => agent)));
    return [...all.slice(first), ...all.slice(0, first)];
  }
}

test('two agents that each block on the mutex of the other are found, with the locks and since when', () => {
  const table = new Table();
  const [ann, bob] = [table.join(), table.join()];
  ann.fork.lock();
  bob.spoon.lock();
  bob.spoon.lock();
  const before = table.world.lot.clock;
  const calls = [[ann, () => ann.spoon.lock()], [bob, () => bob.fork.lock()]] as const;
  const circle = blockAll(calls, () => table.watcher.arena.findDeadlock()) ?? [];
  expect([...circle].sort((a, b) => a.agent - b.agent)).toMatchObject([
    { agent: ann.id, waitsFor: { name: 'spoon', address: table.spoon.handle.address }, ownedBy: bob.id },
    { agent: bob.id, waitsFor: { name: 'fork', address: table.fork.handle.address }, ownedBy: ann.id },
  ]);
  for (const { since } of circle) expect(since >= 1e12 + before && since <= 1e12 + Math.ceil(table.world.lot.clock)).toBe(true);
});

test('three agents in a circle are found, without the one that waits for them', () => {
  const table = new Table();
  const [one, two, three, outside] = [table.join(), table.join(), table.join(), table.join()];
  one.fork.lock();
  two.spoon.lock();
  three.knife.lock();
  const found = table.found(
    [outside, () => outside.fork.lock()],
    [one, () => one.spoon.hold()],
    [two, () => two.knife.run(() => 0)],
    [three, () => three.fork.tryLock(10)],
  );
  expect(found).toEqual([
    [one.id, 'spoon', two.id],
    [two.id, 'knife', three.id],
    [three.id, 'fork', one.id],
  ]);
});

test('a chain that ends with an agent that does not block is none, nor is a wait for a mutex that is on its way', () => {
  const table = new Table();
  const [one, two, three] = [table.join(), table.join(), table.join()];
  one.fork.lock();
  two.spoon.lock();
  three.knife.lock();
  expect(table.found([one, () => one.spoon.lock()], [two, () => two.knife.lock()])).toEqual([]);
  const passing = new Table();
  const [ann, bob] = [passing.join(), passing.join()];
  ann.fork.lock();
  bob.spoon.lock();
  const takeTurns = (): void => {
    bob.spoon.unlock();
    bob.fork.lock();
  };
  expect(passing.found([ann, () => ann.spoon.lock()], [bob, takeTurns])).toEqual([]);
});

test('an async wait closes no circle, and an agent that waits behind others for a free lock is in none', () => {
  const table = new Table();
  const [one, two] = [table.join(), table.join()];
  one.fork.lock();
  two.spoon.lock();
  one.spoon.lockAsync({ ref: false }).catch(() => undefined);
  expect(table.found([two, () => two.fork.lock()])).toEqual([]);
});

test('a circle is gone when one of it has died: the other one inherits and goes on', async () => {
  const table = new Table();
  const [one, two] = [table.join(), table.join()];
  one.fork.lock();
  two.spoon.lock();
  expect(table.found([one, () => one.spoon.lock()], [two, () => two.fork.lock()])).toHaveLength(2);
  two.life.die();
  expect(table.watcher.arena.reclaim(two.id)).toMatchObject({ locksOrphaned: [{ name: 'spoon' }], ticketsWithdrawn: 1 });
  await table.world.settle();
  expect(table.watcher.arena.findDeadlock()).toBeUndefined();
});

/** What is found while an agent gives up, takes the fork, and the other one begins to wait for it, at that look of the search. */
function whileItChanges(look: number): { found: unknown; changed: boolean } {
  const table = new Table();
  const [one, two] = [table.join(), table.join()];
  two.spoon.lock();
  two.context.refill();
  let looks = 0;
  const change = (): void => {
    if (looks++ !== look) return;
    const { words, kernel, agent } = one.context;
    const [wait] = [...records(words, HEADER_ELEMENT_POOL)].filter(({ owner }) => owner === one.id);
    expect([CANCELLED, CANCELLED_LEFT_BEHIND]).toContain(kernel.leave(agent, asElement(wait?.record ?? 0), 0));
    one.context.finishWalk();
    one.fork.lock();
    const { address, tag } = table.fork.handle;
    two.context.begin(asElement((two.context.kernel as MutexKernel).enqueueAtMutex(asLine(address), tag, two.context.agent, 1)), 0, MODE_BLOCKING);
  };
  const found = blockAll([[one, () => one.spoon.lock()]], () => {
    table.watcher.life.between = change;
    return table.watcher.arena.findDeadlock();
  });
  return { found, changed: looks > look };
}

test('waits that were never there at the same time are no deadlock, whenever they change while it is looked', () => {
  let looks = 0;
  for (let changed = true; changed; looks++) {
    const outcome = whileItChanges(looks);
    expect(outcome.found, `changed at look ${looks}`).toBeUndefined();
    changed = outcome.changed;
  }
  expect(looks).toBeGreaterThan(10);
});
