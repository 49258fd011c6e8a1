// Agents of one thread that block: each goes on with the call while the others act in its sleep.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { expectAtRest } from '../../core/test/support/at-rest.ts';
import { blockAll } from '../../core/test/support/knot.ts';
import { World, type Agent } from '../../core/test/support/crash-world.ts';
import { Mutex, RecursiveMutex } from '../src/index.ts';
import './support/kinds.ts';

interface User extends Agent {
  readonly mutex: Mutex | RecursiveMutex;
}

const CASES = (['wasm', 'js'] as const).flatMap((engine) => [
  { name: `Mutex (${engine})`, engine, Kind: Mutex },
  { name: `RecursiveMutex (${engine})`, engine, Kind: RecursiveMutex },
]);

describe.each(CASES)('$name', ({ engine, Kind }) => {
  function create(count: number, spinMicros = 0): { world: World; users: User[] } {
    const world = new World({ engine, policy: { spinMicros, longTermThreshold: 2 } });
    const agents = Array.from({ length: count }, () => world.join());
    const [first] = agents;
    if (first === undefined) throw new Error('no agents');
    const { handle } = Kind.create({ arena: first.arena, order: 'fifo' });
    return { world, users: agents.map((agent) => ({ ...agent, mutex: Kind.from(world.handle(handle, agent) as never) })) };
  }

  function pick(users: readonly User[], index: number): User {
    const user = users[index];
    if (user === undefined) throw new Error('no such agent');
    return user;
  }

  test.each([0, 20])('blocking and async waiters are served in the order in which they came (spins %i us)', async (spins) => {
    const { world, users } = create(5, spins);
    const [owner, before, blocks] = [0, 1, 2].map((index) => pick(users, index)) as [User, User, User];
    const [behind, last] = [pick(users, 3), pick(users, 4)];
    owner.mutex.lock();
    const order: string[] = [];
    const first = before.mutex.lockAsync({ ref: false }).then(() => order.push('async before'));
    let second: Promise<unknown> = Promise.resolve();
    blocks.life.meanwhile.push(
      () => {
        second = behind.mutex.lockAsync({ ref: false }).then(() => order.push('async behind'));
        expect(last.mutex.tryLock()).toBe(false);
        owner.mutex.unlock();
        // Its event loop turns.
        world.lot.turn();
        expect(before.mutex.owned).toBe(true);
      },
      () => before.mutex.unlock(),
    );
    blocks.mutex.lock();
    order.push('blocked');
    expect([blocks.mutex.owned, behind.mutex.owned]).toEqual([true, false]);
    await first;
    blocks.mutex.unlock();
    await world.settle();
    await second;
    behind.mutex.unlock();
    expect(new Set(order)).toEqual(new Set(['async before', 'blocked', 'async behind']));
    expectAtRest(owner.arena, pick(users, 0).mutex.handle);
  });

  test('a timed wait that runs out in the middle of the line leaves a place that is passed over', async () => {
    const { world, users } = create(4);
    const [owner, blocks, leaves, behind] = [0, 1, 2, 3].map((index) => pick(users, index)) as [User, User, User, User];
    owner.mutex.lock();
    let wait: Promise<void> = Promise.resolve();
    blocks.life.meanwhile.push(() => {
      leaves.life.meanwhile.push(() => {
        wait = behind.mutex.lockAsync({ ref: false });
        return 'timed-out';
      });
      expect(leaves.mutex.tryLock(5)).toBe(false);
      owner.mutex.unlock();
    });
    blocks.mutex.lock();
    blocks.mutex.unlock();
    await world.settle();
    await wait;
    behind.mutex.unlock();
    expectAtRest(owner.arena, owner.mutex.handle);
  });

  test('a lock that comes at the moment of the timeout is had', () => {
    const { users } = create(2);
    const [owner, waits] = [pick(users, 0), pick(users, 1)];
    owner.mutex.lock();
    waits.life.meanwhile.push(() => {
      owner.mutex.unlock();
      return 'timed-out';
    });
    expect(waits.mutex.tryLock(5)).toBe(true);
    waits.mutex.unlock();
    expectAtRest(owner.arena, owner.mutex.handle);
  });

  test.each(['handOver', 'walk'])('who tries before the step %s of an unlock does not barge, and the waiter gets it', (step) => {
    const { users } = create(3);
    const [owner, waits, third] = [0, 1, 2].map((index) => pick(users, index)) as [User, User, User];
    owner.mutex.lock();
    const tries: boolean[] = [];
    waits.life.meanwhile.push(() => {
      owner.life.before.set(step, () => tries.push(third.mutex.tryLock()));
      owner.mutex.unlock();
      return 'timed-out';
    });
    expect(waits.mutex.tryLock(5)).toBe(true);
    expect(tries).toEqual([false]);
    expect([owner, waits, third].map(({ mutex }) => mutex.owned)).toEqual([false, true, false]);
    waits.mutex.unlock();
    expectAtRest(owner.arena, owner.mutex.handle);
  });

  test('inspect shows those who block, in their order', () => {
    const { users } = create(4);
    pick(users, 0).mutex.lock();
    const calls = [1, 2, 3].map((index) => [pick(users, index), () => pick(users, index).mutex.lock()] as const);
    const report = blockAll(calls, () => pick(users, 0).mutex.inspect());
    expect(report.waiters).toMatchObject([1, 2, 3].map((index) => ({ agent: pick(users, index).context.id, kind: 'blocking' })));
    expect(report).toMatchObject({ owner: pick(users, 0).context.id, depth: 1 });
  });
});
