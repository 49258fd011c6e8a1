// Agents of one thread that block: each goes on with the call while the others act in its sleep.

import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { blockAll } from '../../core/test/support/knot.ts';
import { KINDS, servesLastFirst } from './support/kinds.ts';
import { Scene } from './support/scene.ts';

const CASES = (['wasm', 'js'] as const).flatMap((engine) => KINDS.map((kind) => ({ name: `${kind.what} (${engine})`, kind, engine })));

describe.each(CASES)('$name', ({ kind, engine }) => {
  test.each([0, 20])('blocking and async waiters are served in the order of the lock (spins %i us)', async (spinMicros) => {
    const scene = new Scene(kind, { engine, spinMicros });
    const [before, blocks, behind] = scene.joinAll('before', 'blocks', 'behind');
    const order: number[] = [];
    const passOn = (): unknown => order.push(scene.passOn());
    scene.first.lock.lock();
    scene.wait(before);
    blocks.life.meanwhile.push(() => {
      scene.wait(behind);
      passOn();
    }, passOn);
    blocks.lock.lock();
    expect(blocks.lock.owned).toBe(true);
    order.push(...(await scene.passThrough()));
    const inOrder = [before.id, blocks.id, behind.id];
    expect(order).toEqual([scene.first.id, ...(servesLastFirst(kind) ? inOrder.reverse() : inOrder)]);
    scene.expectAtRest();
  });

  test('a timed wait that runs out in the middle of the line leaves a place that is passed over', async () => {
    const scene = new Scene(kind, { engine });
    const [before, leaves, behind] = scene.joinAll('before', 'leaves', 'behind');
    scene.first.lock.lock();
    const waits = [scene.wait(before)];
    leaves.life.meanwhile.push(() => {
      waits.push(scene.wait(behind));
      return 'timed-out';
    });
    expect(leaves.lock.tryLock(5)).toBe(false);
    await scene.passThrough();
    expect(waits.map(({ outcome }) => outcome)).toEqual(['in', 'in']);
    scene.expectAtRest();
  });

  test('a lock that comes at the moment of the timeout is had', () => {
    const scene = new Scene(kind, { engine });
    const waits = scene.join();
    scene.first.lock.lock();
    waits.life.meanwhile.push(() => {
      scene.first.lock.unlock();
      return 'timed-out';
    });
    expect(waits.lock.tryLock(5)).toBe(true);
    waits.lock.unlock();
    scene.expectAtRest();
  });

  test('who gives up when the lock went to another one goes without it', async () => {
    const scene = new Scene(kind, { engine });
    const [waits, other] = scene.joinAll('waits', 'other');
    scene.first.lock.lock();
    if (kind.serves === 'first') scene.wait(other);
    waits.life.meanwhile.push(() => {
      if (servesLastFirst(kind)) scene.wait(other);
      scene.first.lock.unlock();
      if (kind.serves === 'anybody') other.lock.lock();
      scene.world.lot.turn();
      return 'timed-out';
    });
    expect([waits.lock.tryLock(5), other.lock.owned]).toEqual([false, true]);
    expect(await scene.passThrough()).toEqual([other.id]);
    scene.expectAtRest();
  });

  test('inspect shows those who block, who came first standing first', () => {
    const scene = new Scene(kind, { engine });
    const users = scene.joinAll(1, 2, 3);
    scene.first.lock.lock();
    const report = blockAll(users.map((user) => [user, () => user.lock.lock()] as const), () => scene.first.lock.inspect());
    expect(report.waiters).toMatchObject(users.map(({ id }) => ({ agent: id, kind: 'blocking' })));
    expect(report.owner).toBe(scene.first.id);
  });
});
