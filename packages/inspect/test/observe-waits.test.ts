// Tests what tools are told of waits, of threads that are played by agents of this thread.

import { expect, test } from 'vitest';
import '../../core/test/support/crash-injection.ts';
import { blockAll, DeadlockFixture } from '../../core/test/support/deadlock-fixture.ts';
import { Semaphore } from '../../core/src/index.ts';
import { Recorder } from './support/recorder.ts';

test('a blocking wait is told before the thread sleeps, and has ended when the call returns', () => {
  Recorder.during((recorder) => {
    const agents = new DeadlockFixture([]);
    const ours = Semaphore.create(0, { arena: agents.watcher.arena, name: 'jobs' });
    const worker = agents.join();
    const jobs = worker.semaphore(ours);
    recorder.taken();
    worker.life.meanwhile.push(() => {
      expect(recorder.taken()).toEqual(['blocking wait for jobs']);
      ours.release();
    });
    jobs.acquire();
    expect(recorder.taken()).toEqual(['blocking wait for jobs ends: taken', 'holds 1 of jobs']);
    worker.life.meanwhile.push(() => ours.close());
    expect(() => jobs.acquire()).toThrow('closed');
    expect(recorder.taken()).toEqual([
      'blocking wait for jobs',
      'blocking wait for jobs ends: closed',
      'gets nothing of jobs (blocking)',
    ]);
  });
});

test('a wait that throws has failed, and a call that is aborted gets nothing', async () => {
  await Recorder.during(async (recorder) => {
    const agents = new DeadlockFixture([]);
    const ours = Semaphore.create(0, { arena: agents.watcher.arena, name: 'jobs' });
    const worker = agents.join();
    expect(() =>
      blockAll([[worker, () => worker.semaphore(ours).acquire()]], () => {
        recorder.taken();
        throw new Error('the sleep ends');
      }),
    ).toThrow('the sleep ends');
    expect(recorder.taken()).toEqual(['blocking wait for jobs ends: failed', 'gets nothing of jobs (blocking)']);
    const controller = new AbortController();
    const waits = ours.acquireAsync(1, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(waits).rejects.toThrow('enough');
    expect(recorder.taken()).toEqual([
      'async wait for jobs',
      'async wait for jobs ends: failed',
      'gets nothing of jobs (async)',
    ]);
  });
});

test('a recovery has a beginning and an end', () => {
  Recorder.during((recorder) => {
    const agents = new DeadlockFixture([]);
    const ours = Semaphore.create(1, { arena: agents.watcher.arena, name: 'jobs' });
    const worker = agents.join();
    worker.semaphore(ours).acquire();
    recorder.taken();
    worker.life.die();
    agents.watcher.arena.reclaimDead();
    expect(recorder.taken()).toEqual([`recovers ${worker.id}`, `recovered ${worker.id}: done`]);
  });
});
