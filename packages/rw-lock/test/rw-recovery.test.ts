// What becomes of readers when a writer dies, and of the lock when readers die.

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

  test.each(READS)('after the death of a writer reader.%s is refused until a writer has repaired', async (_, read) => {
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

  test.each(READS)('reader.%s is refused for ever when the heir unlocked without a word', async (_, read) => {
    const scene = newScene();
    await scene.orphan();
    scene.inherit().release();
    for (const { lock } of [scene.join(), scene.first]) await expectRefused(lock, read);
    expect(scene.first.lock.inspect().consistency).toBe('unrecoverable');
    for (const { reader, writer } of [scene.join().lock, scene.first.lock]) {
      expect(() => reader.lock()).toThrow('It was not locked: call `writer.takeOver()`, repair the data and call markConsistent.');
      expect(() => writer.lock()).toThrow('refused until an agent repairs');
    }
  });

  test('readers that wait when a writer dies are refused, and the writer that waits inherits', async () => {
    const scene = newScene();
    const [dies, ...users] = Array.from({ length: 5 }, () => scene.join()) as [User, User, User, User, User];
    dies.lock.writer.lock();
    const waits = users.map(({ lock }, index) => scene.wait(index === 1 ? lock.writer : lock.reader));
    const { address } = scene.first.lock.handle;
    expect(await scene.bury(dies)).toMatchObject({ locksOrphaned: [{ name: 'scene', address }], permits: [] });
    const [first, recoveringOwner, ...others] = waits.map(({ outcome }) => outcome);
    expect([first, ...others]).toEqual(['refused', 'refused', 'refused']);
    expect(users.map(({ lock }) => lock.reader.held)).toEqual([0, 0, 0, 0]);
    if (typeof recoveringOwner !== 'object') throw new Error(`Not an heir: ${recoveringOwner}`);
    recoveringOwner.markConsistent();
    recoveringOwner.release();
    scene.expectAtRest();
  });

  test('readers that come while the heir repairs wait, and read what it repaired', async () => {
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

  test('and are refused when it unlocks without a word, or dies', async () => {
    for (const ends of ['unlocks', 'dies']) {
      const scene = newScene();
      await scene.orphan();
      const recoveringOwner = scene.join();
      expect(() => recoveringOwner.lock.writer.lock()).toThrow(OwnerDiedError);
      const wait = scene.wait(scene.join().lock.reader);
      if (ends === 'dies') await scene.bury(recoveringOwner);
      else recoveringOwner.lock.writer.unlock();
      await scene.world.settle();
      const left = ends === 'dies' ? 'orphaned' : 'unrecoverable';
      expect([wait.outcome, scene.first.lock.inspect().consistency]).toEqual(['refused', left]);
    }
  });

  test('an heir may downgrade once it has marked the lock consistent, and not before', async () => {
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

  test('a dead reader just leaves, however often it read, and the writer that waits is told nothing', async () => {
    const scene = newScene();
    const [dies, writes] = [scene.join(), scene.join()];
    for (let count = 0; count < 3; count++) dies.lock.reader.lock();
    const wait = scene.wait(writes.lock.writer);
    expect(await scene.bury(dies)).toMatchObject({
      permits: [{ name: 'scene', address: scene.first.lock.handle.address, permits: 3 }],
      locksOrphaned: [],
      ticketsWithdrawn: 0,
    });
    expect([wait.outcome, scene.first.lock.inspect().consistency]).toEqual(['in', 'consistent']);
    writes.lock.writer.unlock();
    scene.expectAtRest();
  });

  test('a dead reader among others leaves them inside', async () => {
    const scene = newScene();
    const [dies, reads, writes] = [scene.join(), scene.join(), scene.join()];
    for (const { lock } of [dies, reads]) lock.reader.lock();
    const wait = scene.wait(writes.lock.writer);
    await scene.bury(dies);
    expect([wait.outcome, reads.lock.reader.held]).toEqual(['waits', 1]);
    reads.lock.reader.unlock();
    await scene.world.settle();
    expect(wait.outcome).toBe('in');
    writes.lock.writer.unlock();
    scene.expectAtRest();
  });

  test('one that downgraded dies as a reader', async () => {
    const scene = newScene();
    const dies = scene.join();
    dies.lock.writer.lock();
    dies.lock.downgrade();
    expect(await scene.bury(dies)).toMatchObject({ permits: [{ permits: 1 }], locksOrphaned: [] });
    scene.first.lock.writer.lock();
    scene.first.lock.writer.unlock();
    scene.expectAtRest();
  });

  test('a writer that dies in line lets the readers in that waited for it alone', async () => {
    const scene = newScene();
    const [dies, reads] = [scene.join(), scene.join()];
    scene.first.lock.reader.lock();
    scene.wait(dies.lock.writer);
    const wait = scene.wait(reads.lock.reader);
    expect(await scene.bury(dies)).toMatchObject({ ticketsWithdrawn: 1, locksOrphaned: [], permits: [] });
    expect(wait.outcome).toBe('in');
    for (const { reader } of [reads.lock, scene.first.lock]) reader.unlock();
    scene.expectAtRest();
  });

  test('a reader that dies in line is passed over', async () => {
    const scene = newScene();
    const [dies, reads, writes] = [scene.join(), scene.join(), scene.join()];
    scene.first.lock.writer.lock();
    scene.wait(dies.lock.reader);
    const [read, write] = [scene.wait(reads.lock.reader), scene.wait(writes.lock.writer)];
    expect(await scene.bury(dies)).toMatchObject({ ticketsWithdrawn: 1, permits: [] });
    scene.first.lock.writer.unlock();
    await scene.world.settle();
    expect([read.outcome, write.outcome]).toEqual(['in', 'waits']);
    reads.lock.reader.unlock();
    await scene.world.settle();
    expect(write.outcome).toBe('in');
    writes.lock.writer.unlock();
    scene.expectAtRest();
  });

  test('readers that were let in and had not looked leave, and the next writer comes', async () => {
    const scene = newScene();
    const [dies, writes] = [scene.join(), scene.join()];
    scene.first.lock.writer.lock();
    for (let count = 0; count < 3; count++) scene.wait(dies.lock.reader);
    const wait = scene.wait(writes.lock.writer);
    scene.first.lock.writer.unlock();
    await scene.bury(dies);
    expect(wait.outcome).toBe('in');
    writes.lock.writer.unlock();
    scene.expectAtRest();
  });

  /** An agent that reads `times` and was let in `more` times without having looked. */
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
    const report = await scene.bury(dies);
    expect(write.outcome).toBe(times === 0 ? 'in' : 'waits');
    scene.expectAtRest();
    return report;
  }

  test('the report tells what a dead reader held', async () => {
    expect(await dieReading(2, 0)).toMatchObject({ permits: [{ permits: 2 }], ticketsWithdrawn: 0 });
    expect(await dieReading(0, 1)).toMatchObject({ permits: [], ticketsWithdrawn: 1 });
  });

  test('the report tells what a dead reader held beside waits that had been let in', async () => {
    const { permits, ticketsWithdrawn } = await dieReading(2, 1);
    const told = permits.reduce((sum, { permits }) => sum + permits, 0);
    expect([told >= 2, told + ticketsWithdrawn]).toEqual([true, 3]);
  });

  test('the report tells of each wait of a dead reader that had been let in', async () => {
    const { permits, ticketsWithdrawn } = await dieReading(0, 3);
    expect(permits.reduce((sum, { permits }) => sum + permits, 0) + ticketsWithdrawn).toBe(3);
  });

  test('one that reads and waits to write leaves on both sides', async () => {
    const scene = newScene();
    const [dies, writes] = [scene.join(), scene.join()];
    dies.lock.reader.lock();
    scene.wait(dies.lock.writer);
    const wait = scene.wait(writes.lock.writer);
    expect(await scene.bury(dies)).toMatchObject({ permits: [{ permits: 1 }], ticketsWithdrawn: 1, locksOrphaned: [] });
    expect(wait.outcome).toBe('in');
    writes.lock.writer.unlock();
    scene.expectAtRest();
  });

  test('one that writes and waits to read leaves on both sides, and is mourned as a writer', async () => {
    const scene = newScene();
    const [dies, reads] = [scene.join(), scene.join()];
    dies.lock.writer.lock();
    scene.wait(dies.lock.reader);
    const wait = scene.wait(reads.lock.reader);
    expect(await scene.bury(dies)).toMatchObject({ permits: [], ticketsWithdrawn: 1, locksOrphaned: [{}] });
    expect(wait.outcome).toBe('refused');
    const guard = scene.inherit();
    guard.markConsistent();
    guard.release();
    scene.expectAtRest();
  });

  test('one that blocks to read and dies in its sleep, let in or not, keeps nobody out', () => {
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

  test('a lock whose writer died can be freed', async () => {
    const scene = newScene();
    await scene.orphan();
    scene.first.lock.free();
    expect(() => scene.first.lock.inspect()).toThrow('was freed');
  });
});
