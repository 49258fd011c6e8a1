// The MCS, the LIFO and the reciprocating lock: the place of a cancelled waiter stays until an unlock skips it.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { QUEUED } from './support/kinds.ts';
import { Scene } from '../../core/test/support/owned-lock/scene.ts';

const CASES = (['wasm', 'js'] as const).flatMap((engine) =>
  QUEUED.map((kind) => ({ name: `${kind.what} (${engine})`, kind, engine })),
);

describe.each(CASES)('$name', ({ kind, engine }) => {
  const newScene = (): Scene => new Scene(kind, { engine });

  test.each([
    ['tryLock(5)', true],
    ['lockAsync()', false],
  ])('the place of a cancelled %s stays until the next unlock removes it', async (_, blocking) => {
    const scene = newScene();
    const leaves = scene.join();
    scene.first.lock.lock();
    if (blocking) expect(leaves.lock.tryLock(5)).toBe(false);
    else scene.wait(leaves).leave();
    await scene.settle();
    expect(scene.first.lock.inspect()).toMatchObject({ waiters: [], abandoned: 1 });
    expect(scene.first.arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 1 });
    scene.first.lock.unlock();
    expect(scene.first.lock.inspect()).toMatchObject({ owner: 0, abandoned: 0 });
    scene.expectAtRest();
  });

  test('unlock() removes all places of cancelled waiters before the next waiter, and hands the lock to it', async () => {
    const scene = newScene();
    const [stays, leaves] = scene.joinAll('stays', 'leaves');
    const turns = [...Array.from({ length: 20 }, () => leaves), stays];
    scene.first.lock.lock();
    const waits = scene.waitInTurn(turns);
    for (const { leave } of waits.slice(0, -1)) leave();
    expect(scene.first.lock.inspect()).toMatchObject({ waiters: [{ agent: stays.id }], abandoned: 20 });
    scene.first.lock.unlock();
    expect(scene.first.lock.inspect()).toMatchObject({ owner: stays.id, waiters: [], abandoned: 0 });
    await scene.settle();
    expect(scene.owner).toBe(stays.id);
    expect(waits.map(({ outcome }) => outcome)).toEqual([...Array<string>(20).fill('left'), 'in']);
    stays.lock.unlock();
    scene.expectAtRest();
  });

  test('a cancelled waiter’s place behind the next owner is removed when that owner unlocks', async () => {
    const scene = newScene();
    const [stays, leaves] = scene.joinAll('stays', 'leaves');
    scene.first.lock.lock();
    const [wait, gone] = scene.waitInTurn([stays, leaves]);
    gone?.leave();
    scene.first.lock.unlock();
    await scene.settle();
    expect([wait?.outcome, scene.first.lock.inspect().abandoned]).toEqual(['in', 1]);
    stays.lock.unlock();
    scene.expectAtRest();
  });

  test('polling by tryLock(ms) leaves one place for each agent that polls, and later waits reuse it', () => {
    const scene = newScene();
    const polls = scene.join();
    const other = scene.join();
    const round = (): number => {
      scene.first.lock.lock();
      for (let time = 0; time < 40; time++)
        expect([polls.lock.tryLock(1), other.lock.tryLock(1)]).toEqual([false, false]);
      expect(scene.first.lock.inspect().abandoned).toBe(2);
      scene.first.lock.unlock();
      scene.expectAtRest();
      return scene.first.arena.inspect().elements.total;
    };
    const total = round();
    for (let again = 0; again < 5; again++) expect(round()).toBe(total);
  });

  test('polling by tryLock() leaves no places', () => {
    const scene = newScene();
    const polls = scene.join();
    scene.first.lock.lock();
    for (let time = 0; time < 40; time++) expect(polls.lock.tryLock()).toBe(false);
    expect(scene.first.lock.inspect().abandoned).toBe(0);
    scene.first.lock.unlock();
    scene.expectAtRest();
  });

  test('an agent that cancelled and waits again reuses its place', async () => {
    const scene = newScene();
    const user = scene.join();
    scene.first.lock.lock();
    scene.wait(user).leave();
    const wait = scene.wait(user);
    expect(scene.first.lock.inspect()).toMatchObject({ waiters: [{ agent: user.id }], abandoned: 0 });
    expect(await scene.unlockUntilFree()).toEqual([scene.first.id, user.id]);
    expect(wait.outcome).toBe('in');
    scene.expectAtRest();
  });

  test('the place of a cancelled waiter is removed after its agent has died', async () => {
    const scene = newScene();
    const user = scene.join();
    scene.first.lock.lock();
    scene.wait(user).leave();
    expect(scene.killAndReclaim(user)).toMatchObject({ ticketsWithdrawn: 0, permits: [], locksOrphaned: [] });
    expect(scene.first.lock.inspect().abandoned).toBe(1);
    scene.first.lock.unlock();
    scene.expectAtRest();
    expect(await scene.unlockUntilFree()).toEqual([]);
  });

  test('unlock() notifies only the next owner', async () => {
    const scene = newScene();
    const users = scene.joinAll(1, 2, 3);
    scene.first.lock.lock();
    const waits = scene.waitInTurn(users);
    scene.first.life.count(['parking'], Infinity);
    scene.first.lock.unlock();
    expect(scene.first.life.deeds).toEqual(['notify']);
    await scene.settle();
    expect(waits.map(({ outcome }) => outcome)).toEqual(['in', 'waits', 'waits']);
    await scene.unlockUntilFree();
    scene.expectAtRest();
  });
});
