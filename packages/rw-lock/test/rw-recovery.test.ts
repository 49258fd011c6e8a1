// Tests readers when a writer dies, and the lock when readers die.

import { MisuseError, OwnerDiedError, type ReclaimReport } from '@sluice/core';
import { describe, expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import type { RwLock } from '../src/index.ts';
import { Scene, type User } from './support/rw-scene.ts';
import './support/kinds.ts';

const READS: readonly (readonly [way: string, read: (lock: RwLock) => unknown])[] = [
  ['lock()', ({ reader }) => reader.lock()],
  ['tryLock()', ({ reader }) => reader.tryLock()],
  ['tryLock(5)', ({ reader }) => reader.tryLock(5)],
  ['lockAsync()', ({ reader }) => reader.lockAsync()],
  ['lockAsync({ timeout: 0 })', ({ reader }) => reader.lockAsync({ timeout: 0 })],
  ['hold()', ({ reader }) => reader.hold()],
  ['tryHold()', ({ reader }) => reader.tryHold()],
  ['holdAsync()', ({ reader }) => reader.holdAsync()],
  ['run(body)', ({ reader }) => reader.run(() => expect.unreachable())],
  ['runAsync(body)', ({ reader }) => reader.runAsync(() => expect.unreachable())],
];

async function expectRefused(lock: RwLock, read: (lock: RwLock) => unknown): Promise<void> {
  const failure: unknown = await Promise.resolve()
    .then(() => read(lock))
    .catch((failure: unknown) => failure);
  expect(failure).toMatchObject({ name: 'OwnerDiedError', code: 'SLUICE_OWNER_DIED', guard: undefined });
  expect((failure as Error).message).toContain('It was not locked');
  expect(lock.reader.held).toBe(0);
  expect(() => lock.reader.unlock()).toThrow(MisuseError);
}

describe.each(['wasm', 'js'] as const)('RwLock (%s)', (engine) => {
  const newScene = (): Scene => new Scene(engine);

  test.each(READS)('after the death of a writer reader.%s throws until a writer has repaired', async (_, read) => {
    const scene = newScene();
    await scene.orphan();
    for (const { lock } of [scene.join(), scene.first]) await expectRefused(lock, read);
    expect(scene.first.lock.inspect()).toMatchObject({ writer: 0, readers: [], consistency: 'orphaned' });
    const guard = scene.inherit();
    guard.markConsistent();
    guard.release();
    for (const { reader } of [scene.join().lock, scene.first.lock]) {
      reader.lock();
      expect(reader.held).toBe(1);
      reader.unlock();
    }
    scene.expectAtRest();
  });

  test.each(READS)(
    'reader.%s keeps throwing when the next owner has unlocked without marking the lock consistent',
    async (_, read) => {
      const scene = newScene();
      await scene.orphan();
      scene.inherit().release();
      for (const { lock } of [scene.join(), scene.first]) await expectRefused(lock, read);
      expect(scene.first.lock.inspect().consistency).toBe('unrecoverable');
      for (const { reader, writer } of [scene.join().lock, scene.first.lock]) {
        expect(() => reader.lock()).toThrow(
          'It was not locked: call `writer.takeOver()`, repair the data and call markConsistent.',
        );
        expect(() => writer.lock()).toThrow('refused until an agent repairs');
      }
    },
  );

  test('when a writer dies, waiting readers throw and the waiting writer is told', async () => {
    const scene = newScene();
    const [dies, ...users] = Array.from({ length: 5 }, () => scene.join()) as [User, User, User, User, User];
    dies.lock.writer.lock();
    const waits = users.map(({ lock }, index) => scene.wait(index === 1 ? lock.writer : lock.reader));
    const { address } = scene.first.lock.handle;
    expect(await scene.killAndReclaim(dies)).toMatchObject({
      locksOrphaned: [{ name: 'scene', address }],
      permits: [],
    });
    const [first, recoveringOwner, ...others] = waits.map(({ outcome }) => outcome);
    expect([first, ...others]).toEqual(['refused', 'refused', 'refused']);
    expect(users.map(({ lock }) => lock.reader.held)).toEqual([0, 0, 0, 0]);
    if (typeof recoveringOwner !== 'object') throw new Error(`Not the next owner: ${recoveringOwner}`);
    recoveringOwner.markConsistent();
    recoveringOwner.release();
    scene.expectAtRest();
  });

  test('a reader that arrives while the next owner repairs waits, and reads after the repair', async () => {
    const scene = newScene();
    await scene.orphan();
    const guard = scene.inherit();
    const wait = scene.wait(scene.join().lock.reader);
    await scene.world.settle();
    expect([wait.outcome, scene.join().lock.reader.tryLock()]).toEqual(['waits', false]);
    guard.markConsistent();
    guard.release();
    await scene.world.settle();
    expect(wait.outcome).toBe('in');
  });

  test('a reader that waits while the next owner repairs throws if that owner unlocks without marking the lock or dies', async () => {
    for (const ends of ['unlocks', 'dies']) {
      const scene = newScene();
      await scene.orphan();
      const recoveringOwner = scene.join();
      expect(() => recoveringOwner.lock.writer.lock()).toThrow(OwnerDiedError);
      const wait = scene.wait(scene.join().lock.reader);
      if (ends === 'dies') await scene.killAndReclaim(recoveringOwner);
      else recoveringOwner.lock.writer.unlock();
      await scene.world.settle();
      const left = ends === 'dies' ? 'orphaned' : 'unrecoverable';
      expect([wait.outcome, scene.first.lock.inspect().consistency]).toEqual(['refused', left]);
    }
  });

  test('the next owner may downgrade only after it has marked the lock consistent', async () => {
    const scene = newScene();
    await scene.orphan();
    const guard = scene.inherit();
    const { lock } = scene.first;
    expect(() => lock.downgrade()).toThrow('mark it consistent before others read.');
    expect([lock.writer.owned, lock.reader.held, lock.inspect().consistency]).toEqual([true, 0, 'inherited']);
    guard.markConsistent();
    lock.downgrade();
    const other = scene.join();
    expect([lock.reader.held, other.lock.reader.tryLock()]).toEqual([1, true]);
    other.lock.reader.unlock();
    lock.reader.unlock();
    scene.expectAtRest();
  });

  test('the recovery of a reader releases all of its read locks and leaves no notice to the waiting writer', async () => {
    const scene = newScene();
    const [dies, writes] = [scene.join(), scene.join()];
    for (let count = 0; count < 3; count++) dies.lock.reader.lock();
    const wait = scene.wait(writes.lock.writer);
    expect(await scene.killAndReclaim(dies)).toMatchObject({
      permits: [{ name: 'scene', address: scene.first.lock.handle.address, permits: 3 }],
      locksOrphaned: [],
      ticketsWithdrawn: 0,
    });
    expect([wait.outcome, scene.first.lock.inspect().consistency]).toEqual(['in', 'consistent']);
    writes.lock.writer.unlock();
    scene.expectAtRest();
  });

  test('the recovery of one reader leaves the other readers their locks', async () => {
    const scene = newScene();
    const [dies, reads, writes] = [scene.join(), scene.join(), scene.join()];
    for (const { lock } of [dies, reads]) lock.reader.lock();
    const wait = scene.wait(writes.lock.writer);
    await scene.killAndReclaim(dies);
    expect([wait.outcome, reads.lock.reader.held]).toEqual(['waits', 1]);
    reads.lock.reader.unlock();
    await scene.world.settle();
    expect(wait.outcome).toBe('in');
    writes.lock.writer.unlock();
    scene.expectAtRest();
  });

  test('the recovery of a writer that had downgraded is like that of a reader', async () => {
    const scene = newScene();
    const dies = scene.join();
    dies.lock.writer.lock();
    dies.lock.downgrade();
    expect(await scene.killAndReclaim(dies)).toMatchObject({ permits: [{ permits: 1 }], locksOrphaned: [] });
    scene.first.lock.writer.lock();
    scene.first.lock.writer.unlock();
    scene.expectAtRest();
  });

  test('the recovery of a waiting writer admits the readers behind it', async () => {
    const scene = newScene();
    const [dies, reads] = [scene.join(), scene.join()];
    scene.first.lock.reader.lock();
    scene.wait(dies.lock.writer);
    const wait = scene.wait(reads.lock.reader);
    expect(await scene.killAndReclaim(dies)).toMatchObject({ ticketsWithdrawn: 1, locksOrphaned: [], permits: [] });
    expect(wait.outcome).toBe('in');
    for (const { reader } of [reads.lock, scene.first.lock]) reader.unlock();
    scene.expectAtRest();
  });

  test('the recovery cancels the wait of a dead reader', async () => {
    const scene = newScene();
    const [dies, reads, writes] = [scene.join(), scene.join(), scene.join()];
    scene.first.lock.writer.lock();
    scene.wait(dies.lock.reader);
    const [read, write] = [scene.wait(reads.lock.reader), scene.wait(writes.lock.writer)];
    expect(await scene.killAndReclaim(dies)).toMatchObject({ ticketsWithdrawn: 1, permits: [] });
    scene.first.lock.writer.unlock();
    await scene.world.settle();
    expect([read.outcome, write.outcome]).toEqual(['in', 'waits']);
    reads.lock.reader.unlock();
    await scene.world.settle();
    expect(write.outcome).toBe('in');
    writes.lock.writer.unlock();
    scene.expectAtRest();
  });

  test('the recovery of an agent whose admitted readers had not run admits the next writer', async () => {
    const scene = newScene();
    const [dies, writes] = [scene.join(), scene.join()];
    scene.first.lock.writer.lock();
    for (let count = 0; count < 3; count++) scene.wait(dies.lock.reader);
    const wait = scene.wait(writes.lock.writer);
    scene.first.lock.writer.unlock();
    await scene.killAndReclaim(dies);
    expect(wait.outcome).toBe('in');
    writes.lock.writer.unlock();
    scene.expectAtRest();
  });

  /** Recovers an agent that holds `times` read locks and was admitted `more` times without knowing it. */
  async function dieReading(times: number, more: number): Promise<ReclaimReport> {
    const scene = newScene();
    const [dies, writes] = [scene.join(), scene.join()];
    for (let count = 0; count < times; count++) dies.lock.reader.lock();
    const write = scene.wait(writes.lock.writer);
    for (let count = 0; count < more; count++) scene.wait(dies.lock.reader);
    if (times === 0) {
      await scene.world.settle();
      writes.lock.writer.unlock();
    } else {
      writes.life.die();
      scene.first.arena.reclaim(writes.context.id);
    }
    const report = await scene.killAndReclaim(dies);
    expect(write.outcome).toBe(times === 0 ? 'in' : 'waits');
    scene.expectAtRest();
    return report;
  }

  test('the report lists the read locks of a dead agent, and its admitted waits as withdrawn tickets', async () => {
    expect(await dieReading(2, 0)).toMatchObject({ permits: [{ permits: 2 }], ticketsWithdrawn: 0 });
    expect(await dieReading(0, 1)).toMatchObject({ permits: [], ticketsWithdrawn: 1 });
  });

  test('the report of a dead agent counts its read locks and its admitted waits together', async () => {
    const { permits, ticketsWithdrawn } = await dieReading(2, 1);
    const told = permits.reduce((sum, { permits }) => sum + permits, 0);
    expect([told >= 2, told + ticketsWithdrawn]).toEqual([true, 3]);
  });

  test('the report counts each admitted wait of a dead agent', async () => {
    const { permits, ticketsWithdrawn } = await dieReading(0, 3);
    expect(permits.reduce((sum, { permits }) => sum + permits, 0) + ticketsWithdrawn).toBe(3);
  });

  test('the recovery of a reader that waits to write releases its lock and cancels its wait', async () => {
    const scene = newScene();
    const [dies, writes] = [scene.join(), scene.join()];
    dies.lock.reader.lock();
    scene.wait(dies.lock.writer);
    const wait = scene.wait(writes.lock.writer);
    expect(await scene.killAndReclaim(dies)).toMatchObject({
      permits: [{ permits: 1 }],
      ticketsWithdrawn: 1,
      locksOrphaned: [],
    });
    expect(wait.outcome).toBe('in');
    writes.lock.writer.unlock();
    scene.expectAtRest();
  });

  test('the recovery of a writer that waits to read cancels its wait and leaves the notice of a dead writer', async () => {
    const scene = newScene();
    const [dies, reads] = [scene.join(), scene.join()];
    dies.lock.writer.lock();
    scene.wait(dies.lock.reader);
    const wait = scene.wait(reads.lock.reader);
    expect(await scene.killAndReclaim(dies)).toMatchObject({ permits: [], ticketsWithdrawn: 1, locksOrphaned: [{}] });
    expect(wait.outcome).toBe('refused');
    const guard = scene.inherit();
    guard.markConsistent();
    guard.release();
    scene.expectAtRest();
  });

  test('a blocked reader that dies in its sleep, admitted or not, leaves the lock free', () => {
    for (const letIn of [true, false]) {
      const scene = newScene();
      const dies = scene.join();
      scene.first.lock.writer.lock();
      dies.life.meanwhile.push(() => {
        if (letIn) scene.first.lock.writer.unlock();
        dies.life.die();
      });
      expect(() => dies.lock.reader.lock()).toThrow('dead');
      scene.first.arena.reclaim(dies.context.id);
      if (!letIn) scene.first.lock.writer.unlock();
      scene.expectAtRest();
    }
  });

  test('free() succeeds on an orphaned lock', async () => {
    const scene = newScene();
    await scene.orphan();
    scene.first.lock.free();
    expect(() => scene.first.lock.inspect()).toThrow('was freed');
  });
});
