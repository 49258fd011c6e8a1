// Tests cycles of agents that block on each other's locks.

import { describe, expect, test } from 'vitest';
import type { DeadlockedAgent } from '../../../src/index.ts';
import { World, type Agent } from '../crash-world.ts';
import { blockAll } from '../deadlock-fixture.ts';
import type { OwnedLockKind, TestedLock } from './kind.ts';

export interface Diner extends Agent {
  readonly id: number;
  /** The locks: one per kind at the table. */
  readonly locks: readonly TestedLock[];
}

/** One lock of each kind, named 'lock 0' and so on, and the agents that use them. */
export class Table {
  readonly world = new World({ engine: 'wasm' });
  readonly watcher = this.world.join();
  readonly locks: readonly TestedLock[];
  readonly #kinds: readonly OwnedLockKind[];

  constructor(kinds: readonly OwnedLockKind[]) {
    this.#kinds = kinds;
    this.locks = kinds.map((kind, index) => kind.create({ arena: this.watcher.arena, name: `lock ${index}` }));
  }

  /** Adds an agent that owns lock number `owns`. */
  join(owns?: number): Diner {
    const agent = this.world.join();
    const open = (kind: OwnedLockKind, index: number): TestedLock =>
      kind.from(this.world.handle(pick(this.locks, index).handle, agent));
    const locks = this.#kinds.map(open);
    if (owns !== undefined) pick(locks, owns).lock();
    return { ...agent, id: agent.context.id, locks };
  }

  /** Returns the result of `findDeadlock` while all agents sleep: agent, lock, owner, from the smallest agent on. */
  found(
    ...calls: readonly (readonly [agent: Diner, lock: number, call?: (lock: TestedLock) => unknown])[]
  ): readonly unknown[] {
    const waits = calls.map(
      ([agent, lock, call = (lock) => lock.lock()]) => [agent, () => call(pick(agent.locks, lock))] as const,
    );
    return inOrder(blockAll(waits, () => this.watcher.arena.findDeadlock()));
  }
}

/** Returns a cycle as agent, lock, owner, from the smallest agent on. */
export function inOrder(
  cycle: readonly DeadlockedAgent[] = [],
): readonly (readonly [agent: number, lock: string, owner: number])[] {
  const all = cycle.map(({ agent, waitsFor, ownedBy }) => [agent, waitsFor.name, ownedBy] as const);
  const first = all.findIndex(([agent]) => agent === Math.min(...all.map(([agent]) => agent)));
  return [...all.slice(first), ...all.slice(0, first)];
}

export function pick<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`There is none with the number ${index}.`);
  return item;
}

export function cycles(kinds: readonly OwnedLockKind[]): void {
  describe.each(kinds)('findDeadlock() with a $what', (kind) => {
    cyclesOf(kind);
  });

  test('findDeadlock() finds a cycle through locks of all kinds', () => {
    const table = new Table(kinds);
    const diners = kinds.map((_, index) => table.join(index));
    const next = (index: number): number => (index + 1) % kinds.length;
    const found = table.found(...diners.map((diner, index) => [diner, next(index)] as const));
    expect(found).toEqual(diners.map(({ id }, index) => [id, `lock ${next(index)}`, pick(diners, next(index)).id]));
  });
}

function cyclesOf(kind: OwnedLockKind): void {
  test('two agents that block on each other’s locks are reported with the locks and the start of their waits', () => {
    const table = new Table([kind, kind]);
    const [ann, bob] = [table.join(0), table.join(1)];
    if (kind.isReentrant) bob.locks[1]?.lock();
    const before = table.world.lot.clock;
    const calls = [
      [ann, () => ann.locks[1]?.lock()],
      [bob, () => bob.locks[0]?.lock()],
    ] as const;
    const cycle = blockAll(calls, () => table.watcher.arena.findDeadlock()) ?? [];
    expect([...cycle].sort((a, b) => a.agent - b.agent)).toMatchObject([
      { agent: ann.id, waitsFor: { name: 'lock 1', address: pick(table.locks, 1).handle.address }, ownedBy: bob.id },
      { agent: bob.id, waitsFor: { name: 'lock 0', address: pick(table.locks, 0).handle.address }, ownedBy: ann.id },
    ]);
    for (const { since } of cycle)
      expect(since >= 1e12 + before && since <= 1e12 + Math.ceil(table.world.lot.clock)).toBe(true);
  });

  test('three agents in a cycle are reported without the agents that wait before or behind them', () => {
    const table = new Table([kind, kind, kind]);
    const [one, two, three] = [table.join(0), table.join(1), table.join(2)];
    const [outside, last] = [table.join(), table.join()];
    const found = table.found(
      [outside, 0],
      [one, 1, (lock) => lock.hold()],
      [two, 2, (lock) => lock.run(() => 0)],
      [three, 0, (lock) => lock.tryLock(10)],
      [last, 1],
    );
    expect(found).toEqual([
      [one.id, 'lock 1', two.id],
      [two.id, 'lock 2', three.id],
      [three.id, 'lock 0', one.id],
    ]);
  });

  test('a chain of waiters whose last owner does not block is no deadlock', () => {
    const chain = new Table([kind, kind, kind]);
    const [one, two] = [chain.join(0), chain.join(1)];
    chain.join(2);
    expect(chain.found([one, 1], [two, 2])).toEqual([]);
  });

  test('a cycle through an async wait is no deadlock', () => {
    const table = new Table([kind, kind]);
    const [ann, bob] = [table.join(0), table.join(1)];
    ann.locks[1]?.lockAsync({ ref: false }).catch(() => undefined);
    expect(table.found([bob, 0])).toEqual([]);
  });

  test('a wait whose lock was unlocked meanwhile is in no cycle', () => {
    const table = new Table([kind, kind]);
    const [ann, bob] = [table.join(0), table.join(1)];
    const unlockAndLock = (lock: TestedLock): void => {
      bob.locks[1]?.unlock();
      lock.lock();
    };
    expect(table.found([ann, 1], [bob, 0, unlockAndLock])).toEqual([]);
  });

  test('a cycle is gone when one of its agents has died and the next owner was told', async () => {
    const table = new Table([kind, kind]);
    const [one, two] = [table.join(0), table.join(1)];
    expect(table.found([one, 1], [two, 0])).toHaveLength(2);
    two.life.die();
    expect(table.watcher.arena.reclaim(two.id)).toMatchObject({
      locksOrphaned: [{ name: 'lock 1' }],
      ticketsWithdrawn: 1,
    });
    await table.world.settle();
    expect(table.watcher.arena.findDeadlock()).toBeUndefined();
  });
}
