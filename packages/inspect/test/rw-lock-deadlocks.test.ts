// Tests cycles of agents that block on locks that other agents hold for reading or writing.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { blockAll } from '../../core/test/support/deadlock-fixture.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import { GRANT } from '../../core/src/kernel/layout.ts';
import { findDeadlocks } from '../src/index.ts';
import { Mutex } from '../../mutex/src/index.ts';
import { RwLock } from '../../rw-lock/src/index.ts';
import '../../rw-lock/test/support/kinds.ts';

interface User extends Agent {
  readonly id: number;
  readonly mutex: Mutex;
  readonly table: RwLock;
  readonly index: RwLock;
  readonly cache: RwLock;
}

type Call = readonly [agent: User, call: () => unknown];

class Scene {
  readonly world = new World({ engine: 'wasm' });
  readonly watcher = this.world.join();
  readonly mutex = Mutex.create({ arena: this.watcher.arena, name: 'mutex' });
  readonly table = RwLock.create({ arena: this.watcher.arena, name: 'table' });
  readonly index = RwLock.create({ arena: this.watcher.arena, name: 'index' });
  readonly cache = RwLock.create({ arena: this.watcher.arena, name: 'cache', upgradeable: true });

  join(): User {
    const agent = this.world.join();
    return {
      ...agent,
      id: agent.context.id,
      mutex: Mutex.from(this.world.handle(this.mutex.handle, agent)),
      table: RwLock.from(this.world.handle(this.table.handle, agent)),
      index: RwLock.from(this.world.handle(this.index.handle, agent)),
      cache: RwLock.from(this.world.handle(this.cache.handle, agent)),
    };
  }

  /** Returns the cycle that is found while all agents sleep: agent, lock, owner, from the smallest agent on. */
  found(...calls: readonly Call[]): readonly (readonly [agent: number, name: string, owner: number])[] {
    const cycle = blockAll(calls, () => this.watcher.arena.findDeadlock()) ?? [];
    for (const { waitsFor } of cycle) {
      const waited = { mutex: this.mutex, table: this.table, index: this.index, cache: this.cache }[
        waitsFor.name as 'mutex' | 'table' | 'index' | 'cache'
      ];
      expect(waitsFor.address).toBe(waited.handle.address);
    }
    const all = cycle.map(({ agent, waitsFor, ownedBy }) => [agent, waitsFor.name, ownedBy] as const);
    const first = all.findIndex(([agent]) => agent === Math.min(...all.map(([agent]) => agent)));
    return [...all.slice(first), ...all.slice(0, first)];
  }
}

test('findDeadlock() finds two agents that each hold a read lock for which the other waits to write', () => {
  const scene = new Scene();
  const [one, two] = [scene.join(), scene.join()];
  one.table.reader.lock();
  two.index.reader.lock();
  expect(scene.found([one, () => one.index.writer.lock()], [two, () => two.table.writer.lock()])).toEqual([
    [one.id, 'index', two.id],
    [two.id, 'table', one.id],
  ]);
});

test('findDeadlock() finds a cycle of a writer that waits for a reader, which waits for the writer’s mutex', () => {
  const scene = new Scene();
  const [one, two] = [scene.join(), scene.join()];
  one.mutex.lock();
  two.table.reader.lock();
  expect(scene.found([one, () => one.table.writer.lock()], [two, () => two.mutex.lock()])).toEqual([
    [one.id, 'table', two.id],
    [two.id, 'mutex', one.id],
  ]);
});

test('findDeadlock() finds a cycle of a reader that waits for a writer, which waits for the reader’s mutex', () => {
  const scene = new Scene();
  const [one, two] = [scene.join(), scene.join()];
  one.mutex.lock();
  two.table.writer.lock();
  expect(scene.found([one, () => one.table.reader.lock()], [two, () => two.mutex.lock()])).toEqual([
    [one.id, 'table', two.id],
    [two.id, 'mutex', one.id],
  ]);
});

test('findDeadlock() reports only the one of many readers that closes the cycle', () => {
  const scene = new Scene();
  const [one, two, ...others] = Array.from({ length: 5 }, () => scene.join()) as [User, User, User, User, User];
  one.mutex.lock();
  for (const { table } of [...others.slice(0, 2), two, ...others.slice(2)]) {
    table.reader.lock();
    table.reader.lock();
  }
  expect(scene.found([one, () => one.table.writer.lock()], [two, () => two.mutex.lock()])).toEqual([
    [one.id, 'table', two.id],
    [two.id, 'mutex', one.id],
  ]);
});

test('findDeadlock() finds three agents in a cycle over a mutex and two read-write locks', () => {
  const scene = new Scene();
  const [one, two, three] = [scene.join(), scene.join(), scene.join()];
  one.mutex.lock();
  two.table.reader.lock();
  three.index.writer.lock();
  const found = scene.found(
    [one, () => one.table.writer.hold()],
    [two, () => two.index.reader.run(() => 0)],
    [three, () => three.mutex.tryLock(10)],
  );
  expect(found).toEqual([
    [one.id, 'table', two.id],
    [two.id, 'index', three.id],
    [three.id, 'mutex', one.id],
  ]);
});

test('a reader behind a waiting writer waits for the reader that the writer waits for', () => {
  const scene = new Scene();
  const [reads, writes, comes] = [scene.join(), scene.join(), scene.join()];
  reads.table.reader.lock();
  comes.mutex.lock();
  const found = scene.found(
    [writes, () => writes.table.writer.lock()],
    [comes, () => comes.table.reader.lock()],
    [reads, () => reads.mutex.lock()],
  );
  expect(found).toEqual([
    [reads.id, 'mutex', comes.id],
    [comes.id, 'table', reads.id],
  ]);
});

// Readers are admitted together, by one addition to GRANT. Their elements say so one after the other, and the writer that
// admits them may lose its core in between.
test('a reader that was admitted is in no deadlock, although its element does not say so yet', () => {
  const scene = new Scene();
  const [reads, writes, comes] = [scene.join(), scene.join(), scene.join()];
  reads.table.reader.lock();
  comes.mutex.lock();
  const { arena, context } = scene.watcher;
  const look = () => ({ cycle: arena.findDeadlock(), deadlocks: findDeadlocks(arena).map(({ certain }) => certain) });
  const grant = scene.table.handle.address + GRANT;
  const [before, admitted] = blockAll(
    [
      [writes, () => writes.table.writer.lock()],
      [comes, () => comes.table.reader.lock()],
      [reads, () => reads.mutex.lock()],
    ],
    () => {
      const all = [look()];
      context.words.add64(grant, 1n);
      all.push(look());
      context.words.add64(grant, -1n);
      return all;
    },
  );
  expect(before?.cycle).toHaveLength(2);
  expect(before?.deadlocks).toEqual([true]);
  expect(admitted?.cycle).toBeUndefined();
  expect(admitted?.deadlocks).not.toContain(true);
});

test('two readers of one lock that wait for a third agent’s mutex are no deadlock', () => {
  const scene = new Scene();
  const [one, two, three] = [scene.join(), scene.join(), scene.join()];
  for (const { table } of [one, two]) table.reader.lock();
  three.mutex.lock();
  expect(scene.found([one, () => one.mutex.lock()], [two, () => two.mutex.lock()])).toEqual([]);
});

test('a writer and the readers behind it that wait for a reader that does not block are no deadlock', () => {
  const scene = new Scene();
  const [reads, writes, comes] = [scene.join(), scene.join(), scene.join()];
  reads.table.reader.lock();
  expect(scene.found([writes, () => writes.table.writer.lock()], [comes, () => comes.table.reader.lock()])).toEqual([]);
});

test('two waiting writers are no deadlock, nor is an admitted waiter that still sleeps', () => {
  const scene = new Scene();
  const [one, two, three] = [scene.join(), scene.join(), scene.join()];
  three.table.writer.lock();
  expect(scene.found([one, () => one.table.writer.lock()], [two, () => two.table.writer.lock()])).toEqual([]);
  const passing = new Scene();
  const [ann, bob] = [passing.join(), passing.join()];
  ann.mutex.lock();
  bob.table.writer.lock();
  const takeTurns = (): void => {
    bob.table.writer.unlock();
    bob.mutex.lock();
  };
  expect(passing.found([ann, () => ann.table.reader.lock()], [bob, takeTurns])).toEqual([]);
});

test('findDeadlock() finds an agent that waits for the upgradeable side, and the agent that holds it and waits for its mutex', () => {
  const scene = new Scene();
  const [one, two] = [scene.join(), scene.join()];
  one.mutex.lock();
  two.cache.upgradeable.lock();
  expect(scene.found([one, () => one.cache.upgradeable.lock()], [two, () => two.mutex.lock()])).toEqual([
    [one.id, 'cache', two.id],
    [two.id, 'mutex', one.id],
  ]);
});

test('an agent that waits for the upgradeable side does not wait for readers', () => {
  const scene = new Scene();
  const [comes, reads, upgradeable] = [scene.join(), scene.join(), scene.join()];
  comes.mutex.lock();
  reads.cache.reader.lock();
  upgradeable.cache.upgradeable.lock();
  expect(scene.found([comes, () => comes.cache.upgradeable.lock()], [reads, () => reads.mutex.lock()])).toEqual([]);
});

test('a cycle through an async wait is no deadlock', () => {
  const scene = new Scene();
  const [one, two] = [scene.join(), scene.join()];
  one.mutex.lock();
  two.table.reader.lock();
  one.table.writer.lockAsync({ ref: false }).catch(() => undefined);
  expect(scene.found([two, () => two.mutex.lock()])).toEqual([]);
});

test('a cycle is gone when its reader has died', async () => {
  const scene = new Scene();
  const [one, two] = [scene.join(), scene.join()];
  one.mutex.lock();
  two.table.reader.lock();
  expect(scene.found([one, () => one.table.writer.lock()], [two, () => two.mutex.lock()])).toHaveLength(2);
  two.life.die();
  scene.watcher.arena.reclaim(two.id);
  await scene.world.settle();
  expect(scene.watcher.arena.findDeadlock()).toBeUndefined();
});
