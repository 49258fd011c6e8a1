// The test-and-test-and-set lock: an arriving thread overtakes waiters, of which at most one is awake.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { Scene, type Wait } from '../../core/test/support/owned-lock/scene.ts';
import { TTS } from './support/kinds.ts';

describe.each(['wasm', 'js'] as const)('TtsLock (%s)', (engine) => {
  const newScene = (spinMicros = 0): Scene => new Scene(TTS, { engine, spinMicros });

  test.each([0, 20])(
    'lock() takes a free lock before the woken waiter, which parks again (spinMicros: %i)',
    (spinMicros) => {
      const scene = newScene(spinMicros);
      const [sleeps, comes] = scene.joinAll('sleeps', 'comes');
      scene.first.lock.lock();
      const seen: unknown[] = [];
      sleeps.life.meanwhile.push(
        () => {
          scene.first.lock.unlock();
          seen.push(scene.first.lock.inspect().waiters);
          comes.lock.lock();
        },
        () => {
          seen.push(scene.owner, scene.first.lock.inspect().waiters);
          comes.lock.unlock();
        },
      );
      sleeps.lock.lock();
      expect(seen).toMatchObject([[{ agent: sleeps.id }], comes.id, [{ agent: sleeps.id, kind: 'blocking' }]]);
      expect([sleeps.lock.owned, sleeps.life.meanwhile.length]).toEqual([true, 0]);
      sleeps.lock.unlock();
      scene.expectAtRest();
    },
  );

  test('hold(), tryLock(), tryLock(ms) and lockAsync() overtake waiters', async () => {
    const scene = newScene();
    const [waits, comes] = scene.joinAll('waits', 'comes');
    const { lock } = comes;
    const takes: readonly (() => unknown)[] = [
      () => lock.hold(),
      () => lock.tryLock(),
      () => lock.tryLock(5),
      () => lock.lockAsync(),
    ];
    for (const take of takes) {
      scene.first.lock.lock();
      const wait = scene.wait(waits);
      scene.first.lock.unlock();
      await take();
      expect([comes.lock.owned, wait.outcome]).toEqual([true, 'waits']);
      expect(await scene.unlockUntilFree()).toEqual([comes.id, waits.id]);
    }
    scene.expectAtRest();
  });

  test('inspect() and arena.inspect() list a woken waiter that competes as a waiter, not as a second holder', async () => {
    const scene = newScene();
    const [waits] = scene.joinAll('waits');
    const { arena, lock } = scene.first;
    lock.lock();
    const wait = scene.wait(waits);
    for (const isOwned of [false, true]) {
      if (isOwned) lock.lock();
      else lock.unlock();
      const theirs = arena.inspect().agents.find(({ agent }) => agent === waits.id);
      expect(theirs).toMatchObject({ holds: [], waits: [{ kind: 'lock' }] });
      expect(lock.inspect().waiters).toMatchObject([{ agent: waits.id }]);
    }
    lock.unlock();
    await scene.settle();
    expect(wait.outcome).toBe('in');
    await scene.unlockUntilFree();
    scene.expectAtRest();
  });

  test('unlock() notifies no second waiter while a woken one competes', async () => {
    const scene = newScene();
    const users = scene.joinAll(1, 2, 3);
    scene.first.lock.lock();
    const waits = users.map((user) => scene.wait(user));
    scene.first.life.count(['parking'], Infinity);
    for (let time = 0; time < 5; time++) {
      scene.first.lock.unlock();
      scene.first.lock.lock();
    }
    expect([scene.first.life.deeds, scene.first.lock.inspect().waiters.length]).toEqual([['notify'], 3]);
    scene.first.lock.unlock();
    expect(scene.first.life.deeds).toEqual(['notify']);
    await scene.settle();
    expect(waits.map(({ outcome }) => outcome).sort()).toEqual(['in', 'waits', 'waits']);
    expect(await scene.unlockUntilFree()).toHaveLength(3);
    expect(waits.map(({ outcome }) => outcome)).toEqual(['in', 'in', 'in']);
    scene.expectAtRest();
  });

  test('unlock() notifies a waiter again once the woken one has parked', async () => {
    const scene = newScene();
    const users = scene.joinAll(1, 2);
    scene.first.lock.lock();
    const waits = users.map((user) => scene.wait(user));
    for (let time = 1; time <= 4; time++) {
      scene.first.life.count(['parking'], Infinity);
      scene.first.lock.unlock();
      scene.first.lock.lock();
      await scene.settle();
      expect([scene.first.life.deeds, scene.first.lock.inspect().waiters.length]).toEqual([['notify'], 2]);
    }
    expect(waits.map(({ outcome }) => outcome)).toEqual(['waits', 'waits']);
    expect(await scene.unlockUntilFree()).toHaveLength(3);
    scene.expectAtRest();
  });

  test('unlock() without waiters notifies no agent', () => {
    const scene = newScene();
    scene.first.life.count(['parking'], Infinity);
    scene.first.lock.lock();
    scene.first.lock.unlock();
    expect(scene.first.life.deeds).toEqual([]);
  });

  test('a waiter can be overtaken any number of times', async () => {
    const scene = newScene();
    const waits = scene.join();
    scene.first.lock.lock();
    const wait = scene.wait(waits);
    for (let time = 0; time < 100; time++) {
      scene.first.lock.unlock();
      scene.first.lock.lock();
      if (time % 3 === 0) await scene.settle();
    }
    expect(wait.outcome).toBe('waits');
    expect(await scene.unlockUntilFree()).toEqual([scene.first.id, waits.id]);
    scene.expectAtRest();
  });

  test.each([0, 1])(
    'unlock() wakes another waiter after the woken one was aborted (parked again before: %i)',
    async (asleep) => {
      const scene = newScene();
      const [leaves, stays] = scene.joinAll('leaves', 'stays');
      scene.first.lock.lock();
      const [gone, wait] = [leaves, stays].map((user) => scene.wait(user));
      scene.first.lock.unlock();
      scene.first.lock.lock();
      if (asleep === 1) await scene.settle();
      gone?.leave();
      await scene.settle();
      expect([gone?.outcome, wait?.outcome]).toEqual(['left', 'waits']);
      scene.first.lock.unlock();
      await scene.settle();
      expect(wait?.outcome).toBe('in');
      stays.lock.unlock();
      scene.expectAtRest();
    },
  );

  test('a woken waiter that loses the lock and times out leaves no waiter asleep at a free lock', async () => {
    const scene = newScene();
    const [blocks, stays] = scene.joinAll('blocks', 'stays');
    scene.first.lock.lock();
    const waits: Wait[] = [];
    blocks.life.meanwhile.push(() => {
      waits.push(scene.wait(stays));
      scene.first.lock.unlock();
      scene.first.lock.lock();
      return 'timed-out';
    });
    expect(blocks.lock.tryLock(5)).toBe(false);
    scene.first.lock.unlock();
    await scene.settle();
    expect(waits.map(({ outcome }) => outcome)).toEqual(['in']);
    stays.lock.unlock();
    scene.expectAtRest();
  });

  test('lock() tries several times before it enqueues', () => {
    const scene = newScene(20);
    const comes = scene.join();
    scene.first.lock.lock();
    comes.life.count(['step', 'parking'], Infinity);
    let looks = 0;
    const look = (): void => {
      looks += 1;
      if (looks === 3) scene.first.lock.unlock();
      else comes.life.before.set('enqueueAtTts', look);
    };
    comes.life.before.set('enqueueAtTts', look);
    comes.lock.lock();
    expect([looks, new Set(comes.life.deeds)]).toEqual([3, new Set(['lockTts', 'enqueueAtTts'])]);
    expect(scene.first.lock.inspect()).toMatchObject({ owner: comes.id, waiters: [], abandoned: 0 });
    comes.lock.unlock();
    scene.expectAtRest();
  });
});
