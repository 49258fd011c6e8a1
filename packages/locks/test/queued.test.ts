// The MCS, the LIFO and the reciprocating lock: a waiter that gives up leaves its place, which is passed by when its turn comes.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { QUEUED } from './support/kinds.ts';
import { Scene } from './support/scene.ts';

const CASES = (['wasm', 'js'] as const).flatMap((engine) => QUEUED.map((kind) => ({ name: `${kind.what} (${engine})`, kind, engine })));

describe.each(CASES)('$name', ({ kind, engine }) => {
  const newScene = (): Scene => new Scene(kind, { engine });

  test.each([
    ['tryLock(5)', true],
    ['lockAsync()', false],
  ])('%s that gives up while the lock is held stays as a place, which the next unlock takes out', async (_, blocking) => {
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

  test('an unlock takes out all places before the next waiter, and wakes that one', async () => {
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

  test('a place behind the next waiter comes out when that one unlocks, though all have left', async () => {
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

  test('who polls with a timeout leaves places for as long as the lock is held, and they serve again afterwards', () => {
    const scene = newScene();
    const polls = scene.join();
    const round = (): number => {
      scene.first.lock.lock();
      for (let time = 0; time < 40; time++) expect(polls.lock.tryLock(1)).toBe(false);
      expect(scene.first.lock.inspect().abandoned).toBe(40);
      scene.first.lock.unlock();
      scene.expectAtRest();
      return scene.first.arena.inspect().elements.total;
    };
    const total = round();
    for (let again = 0; again < 5; again++) expect(round()).toBe(total);
  });

  test('who tries without a timeout leaves none', () => {
    const scene = newScene();
    const polls = scene.join();
    scene.first.lock.lock();
    for (let time = 0; time < 40; time++) expect(polls.lock.tryLock()).toBe(false);
    expect(scene.first.lock.inspect().abandoned).toBe(0);
    scene.first.lock.unlock();
    scene.expectAtRest();
  });

  test('an agent whose place is still there waits again at another one, and gets the lock there', async () => {
    const scene = newScene();
    const user = scene.join();
    scene.first.lock.lock();
    scene.wait(user).leave();
    const wait = scene.wait(user);
    expect(scene.first.lock.inspect()).toMatchObject({ waiters: [{ agent: user.id }], abandoned: 1 });
    expect(await scene.passThrough()).toEqual([scene.first.id, user.id]);
    expect(wait.outcome).toBe('in');
    scene.expectAtRest();
  });

  test('the place of one that gave up is taken out after its agent has died', async () => {
    const scene = newScene();
    const user = scene.join();
    scene.first.lock.lock();
    scene.wait(user).leave();
    expect(scene.bury(user)).toMatchObject({ ticketsWithdrawn: 0, permits: [], locksOrphaned: [] });
    expect(scene.first.lock.inspect().abandoned).toBe(1);
    scene.first.lock.unlock();
    scene.expectAtRest();
    expect(await scene.passThrough()).toEqual([]);
  });

  test('a lock that is handed over wakes its new owner and nobody else', async () => {
    const scene = newScene();
    const users = scene.joinAll(1, 2, 3);
    scene.first.lock.lock();
    const waits = scene.waitInTurn(users);
    scene.first.life.count(['parking'], Infinity);
    scene.first.lock.unlock();
    expect(scene.first.life.deeds).toEqual(['notify']);
    await scene.settle();
    expect(waits.map(({ outcome }) => outcome)).toEqual(['in', 'waits', 'waits']);
    await scene.passThrough();
    scene.expectAtRest();
  });

  test('an async wait that was given the lock and has not looked is not robbed of it by another task of its agent', async () => {
    const scene = newScene();
    const [user, third] = scene.joinAll('user', 'third');
    scene.first.lock.lock();
    const wait = scene.wait(user);
    scene.first.lock.unlock();
    const refused = ((): boolean => {
      try {
        user.lock.unlock();
        return false;
      } catch {
        return true;
      }
    })();
    const taken = third.lock.tryLock();
    await scene.settle();
    expect([refused, taken, wait.outcome]).toEqual([true, false, 'in']);
  });
});
