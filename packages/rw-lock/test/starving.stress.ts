import { Arena, Region, type AsyncLock } from '@sluice/core';
import { type WorkerGroup, shortOf, Session, withWorkers } from '@sluice/harness';
import { RwLock } from '@sluice/rw-lock';
import { expect, test } from 'vitest';
import { expectOfficeAtRest } from '../../core/test/support/office-rest.ts';
import { keepReading, keepWriting, officeOf, READS, STOP, WORDS, WRITES, type CrowdData } from './jobs/crowd.mjs';

const jobs = new URL('./jobs/crowd.mjs', import.meta.url);

/** A lock that many workers use, and the main thread, which locks it from time to time. */
class Scene {
  readonly arena = Arena.create({ maxPages: 16 });
  readonly lock = RwLock.create({ arena: this.arena });
  readonly office = officeOf(this.lock.handle);
  readonly #region = Region.create(4 * WORDS, { arena: this.arena });
  readonly words = this.#region.int32;
  readonly data: CrowdData = { lock: this.lock.handle, words: this.#region.handle };
  /** The number of times that the main thread had to wait. */
  waited = 0;
  /** The maximum number of admissions of others during one of these waits. */
  overtakers = 0;

  /**
   * Locks one side that many times. `counter` counts the admissions of other agents, of which at most `most` may happen
   * during one wait.
   */
  async takeTurns(group: WorkerGroup, side: AsyncLock, turns: number, counter: number, most: number): Promise<void> {
    let before = Infinity;
    const came = (): number => Atomics.load(this.words, counter) - before;
    // A time limit in case the lock never admits the main thread.
    const overtaken = group.until('the crowd to overtake the main thread', () => came() > most);
    overtaken.catch(() => undefined);
    for (let turn = 0; turn < turns; turn++) {
      const admission = side.lockAsync();
      before = Atomics.load(this.words, counter);
      const { waitingReaders, waitingWriters } = this.lock.inspect();
      this.waited += waitingReaders.concat(waitingWriters).filter(({ agent }) => agent === this.arena.agentId).length;
      await Promise.race([admission, overtaken]);
      this.overtakers = Math.max(this.overtakers, came());
      expect(came()).toBeLessThanOrEqual(most);
      before = Infinity;
      side.unlock();
      // Let the waiters be admitted before the main thread locks again.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Stops the workers. Returns their admissions. */
  async end(group: WorkerGroup): Promise<number> {
    Atomics.store(this.words, STOP, 1);
    return (await group.results<number>()).reduce((sum, own) => sum + own, 0);
  }

  readonly dump = (): unknown => ({
    lock: this.lock.inspect(),
    words: [...this.words].filter((_, at) => at % 32 === 0),
  });
}

test.each([2, 4])(
  'a writer is admitted before readers are admitted again, while %i readers overlap all the time',
  async (readers) => {
    const session = new Session(`a writer among ${readers} readers that overlap`);
    const scene = new Scene();
    const turns = shortOf(1500);
    await withWorkers({ jobs, seed: session.seed, dump: scene.dump }, async (group) => {
      group.start(readers, keepReading.name, () => scene.data);
      await group.until('the readers to read', () => Atomics.load(scene.words, READS) > readers);
      // Each reader may have been admitted without having counted itself yet.
      await scene.takeTurns(group, scene.lock.writer, turns, READS, readers);
      const reads = await scene.end(group);
      session.done(turns + reads, `waited ${scene.waited} times, for ${scene.overtakers} reader(s) at most`);
    });
    expect(scene.waited).toBeGreaterThan(0);
    expectOfficeAtRest(scene.arena, scene.lock.handle, 2);
  },
);

test.each([2, 4])(
  'a reader is admitted after at most one writer, while %i writers wait all the time',
  async (writers) => {
    const session = new Session(`a reader among ${writers} writers in line`);
    const scene = new Scene();
    const turns = shortOf(1500);
    await withWorkers({ jobs, seed: session.seed, dump: scene.dump }, async (group) => {
      group.start(writers, keepWriting.name, () => scene.data);
      const areBusy = (): boolean => Atomics.load(scene.words, WRITES) > writers && scene.office.writers() > 1;
      await group.until('the writers to write and wait', areBusy);
      // Allow for the owner, if it had not counted itself yet.
      await scene.takeTurns(group, scene.lock.reader, turns, WRITES, 1);
      const writes = await scene.end(group);
      session.done(turns + writes, `waited ${scene.waited} times, for ${scene.overtakers} writer(s) at most`);
    });
    expect(scene.waited).toBeGreaterThan(0);
    expectOfficeAtRest(scene.arena, scene.lock.handle, 2);
  },
);
