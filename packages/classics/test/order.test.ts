// The next owner of each lock, beyond random histories: starvation, segments, and the writes of a ticket lock.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { GRANT, TICKET as TICKET_WORD } from '../../core/src/kernel/layout.ts';
import { Scene, type User } from '../../core/test/support/owned-lock/scene.ts';
import { LIFO, RECIPROCATING, TICKET } from './support/kinds.ts';

const ENGINES = ['wasm', 'js'] as const;
const ids = (...users: User[]): number[] => users.map(({ id }) => id);

test.each(ENGINES)('LifoLock (%s): the first waiter starves while others keep arriving', async (engine) => {
  const scene = new Scene(LIFO, { engine });
  const [starves, one, other] = scene.joinAll('starves', 'one', 'other');
  scene.first.lock.lock();
  const wait = scene.wait(starves);
  for (let time = 0; time < 50; time++) {
    scene.wait(time % 2 === 0 ? one : other);
    scene.unlockByOwner();
    await scene.settle();
  }
  expect([wait.outcome, scene.owner]).toEqual(['waits', other.id]);
  expect(await scene.unlockUntilFree()).toEqual([other.id, starves.id]);
  expect(wait.outcome).toBe('in');
  scene.expectAtRest();
});

describe.each(ENGINES)('ReciprocatingLock (%s)', (engine) => {
  const newScene = (): Scene => new Scene(RECIPROCATING, { engine });

  test('waiters that arrived before an unlock are served in LIFO order, before all later arrivals', async () => {
    const scene = newScene();
    const [a, b, c, d, e, f] = scene.joinAll(1, 2, 3, 4, 5, 6);
    scene.first.lock.lock();
    for (const user of [a, b, c]) scene.wait(user);
    const order = [scene.unlockByOwner()];
    for (const user of [d, e]) scene.wait(user);
    order.push(scene.unlockByOwner());
    scene.wait(f);
    expect([...order, ...(await scene.unlockUntilFree())]).toEqual(ids(scene.first, c, b, a, f, e, d));
    scene.expectAtRest();
  });

  test('the unlock that ends a segment detaches all later arrivals as the next one', async () => {
    const scene = newScene();
    const [a, b, c, d] = scene.joinAll(1, 2, 3, 4);
    scene.first.lock.lock();
    scene.wait(a);
    const order = [scene.unlockByOwner()];
    for (const user of [b, c]) scene.wait(user);
    // The segment is empty by now, so this unlock detaches the two.
    order.push(scene.unlockByOwner());
    scene.wait(d);
    expect([...order, ...(await scene.unlockUntilFree())]).toEqual(ids(scene.first, a, c, b, d));
    scene.expectAtRest();
  });

  test('a waiter is overtaken at most once by each agent that keeps coming back', async () => {
    const scene = newScene();
    const [waits, ...others] = scene.joinAll('waits', 1, 2, 3);
    scene.first.lock.lock();
    const wait = scene.wait(waits);
    for (const user of others) scene.wait(user);
    const overtakers: number[] = [];
    scene.unlockByOwner();
    await scene.settle();
    while (wait.outcome === 'waits') {
      const owner = others.find(({ id }) => id === scene.owner);
      if (owner === undefined) throw new Error('Another agent owns the lock.');
      overtakers.push(scene.unlockByOwner());
      scene.wait(owner);
      await scene.settle();
    }
    expect(overtakers).toEqual(ids(...others).reverse());
    expect(await scene.unlockUntilFree()).toEqual(ids(waits, ...others));
    scene.expectAtRest();
  });

  test('none of three agents that keep coming back gets the lock more than twice as often as another', async () => {
    const scene = newScene();
    const counts = new Map(scene.joinAll(1, 2, 3).map((user) => [user.id, { user, count: 0 }]));
    scene.first.lock.lock();
    for (const { user } of counts.values()) scene.wait(user);
    scene.unlockByOwner();
    for (let time = 0; time < 300; time++) {
      await scene.settle();
      const back = counts.get(scene.unlockByOwner());
      if (back === undefined) throw new Error('Another agent owns the lock.');
      back.count += 1;
      scene.wait(back.user);
    }
    const all = [...counts.values()].map(({ count }) => count);
    expect(Math.max(...all)).toBeLessThanOrEqual(2 * Math.min(...all) + 1);
    await scene.unlockUntilFree();
    scene.expectAtRest();
  });
});

test.each(ENGINES)(
  'TicketLock (%s): lock() draws one ticket, unlock() grants one, and no other word of the arena stays changed',
  (engine) => {
    const scene = new Scene(TICKET, { engine });
    const { address } = scene.first.lock.handle;
    const bytes = (): BigInt64Array => new BigInt64Array(scene.world.memory.buffer.slice(0));
    const changed = (before: BigInt64Array): number[] =>
      [...bytes().entries()].filter(([at, word]) => word !== before[at]).map(([at]) => 8 * at);
    const before = bytes();
    scene.first.lock.lock();
    expect(changed(before)).toContain(address + TICKET_WORD);
    // The ticket, and the owner's ledger entry.
    expect(changed(before)).toHaveLength(2);
    scene.first.lock.unlock();
    expect(changed(before)).toEqual([address + TICKET_WORD, address + GRANT]);
  },
);
