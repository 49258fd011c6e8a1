// Agents of one thread that block. The other agents act while a blocked agent sleeps.

import { describe, expect, test } from 'vitest';
import { blockAll } from '../deadlock-fixture.ts';
import { servesLastFirst, type OwnedLockKind } from './kind.ts';
import { Scene } from './scene.ts';

export function blocking(kind: OwnedLockKind): void {
  describe.each(['wasm', 'js'] as const)('%s', (engine) => {
    test.each([0, 20])('blocking and async waiters are served in one order (spinMicros: %i)', async (spinMicros) => {
      const scene = new Scene(kind, { engine, spinMicros });
      const [before, blocks, behind] = scene.joinAll('before', 'blocks', 'behind');
      const owners: number[] = [];
      const unlock = (): unknown => owners.push(scene.unlockByOwner());
      scene.first.lock.lock();
      scene.wait(before);
      blocks.life.meanwhile.push(() => {
        scene.wait(behind);
        unlock();
      }, unlock);
      blocks.lock.lock();
      expect(blocks.lock.owned).toBe(true);
      owners.push(...(await scene.unlockUntilFree()));
      const inOrder = [before.id, blocks.id, behind.id];
      expect(owners).toEqual([scene.first.id, ...(servesLastFirst(kind) ? inOrder.reverse() : inOrder)]);
      scene.expectAtRest();
    });

    test('a waiter that times out between two others is skipped', async () => {
      const scene = new Scene(kind, { engine });
      const [before, leaves, behind] = scene.joinAll('before', 'leaves', 'behind');
      scene.first.lock.lock();
      const waits = [scene.wait(before)];
      leaves.life.meanwhile.push(() => {
        waits.push(scene.wait(behind));
        return 'timed-out';
      });
      expect(leaves.lock.tryLock(5)).toBe(false);
      await scene.unlockUntilFree();
      expect(waits.map(({ outcome }) => outcome)).toEqual(['in', 'in']);
      scene.expectAtRest();
    });

    test('tryLock(ms) gets a lock that is unlocked at the moment of its timeout', () => {
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

    test('tryLock(ms) fails when another waiter gets the lock at the moment of its timeout', async () => {
      const scene = new Scene(kind, { engine });
      const [waits, other] = scene.joinAll('waits', 'other');
      scene.first.lock.lock();
      if (kind.order === 'first') scene.wait(other);
      waits.life.meanwhile.push(() => {
        if (servesLastFirst(kind)) scene.wait(other);
        scene.first.lock.unlock();
        if (kind.order === 'any') other.lock.lock();
        scene.world.lot.turn();
        return 'timed-out';
      });
      expect([waits.lock.tryLock(5), other.lock.owned]).toEqual([false, true]);
      expect(await scene.unlockUntilFree()).toEqual([other.id]);
      scene.expectAtRest();
    });

    test('inspect() reports blocked waiters in the order of their arrival', () => {
      const scene = new Scene(kind, { engine });
      const users = scene.joinAll(1, 2, 3);
      scene.first.lock.lock();
      const report = blockAll(
        users.map((user) => [user, () => user.lock.lock()] as const),
        () => scene.first.lock.inspect(),
      );
      expect(report.waiters).toMatchObject(users.map(({ id }) => ({ agent: id, kind: 'blocking' })));
      expect(report.owner).toBe(scene.first.id);
    });
  });
}
