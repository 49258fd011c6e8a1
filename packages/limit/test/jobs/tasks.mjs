// @ts-check Workers that add tasks to one queue, and count in shared memory those that run.
import { Region } from '@sluice/core';
import { TaskQueue } from '@sluice/limit';
import { begin, end, RUNNING } from './share.mjs';

/** @import { RegionHandle } from '@sluice/core' */
/** @import { JobContext } from '@sluice/harness' */
/** @import { TaskQueueHandle } from '@sluice/limit' */

/** @typedef {{ queue: TaskQueueHandle, words: RegionHandle, calls: number }} TasksData */

/**
 * Adds tasks of every kind: some end at once, some wait for the event loop, some are aborted, throw, or change their
 * priority. Now and then pauses the queue and starts it again. Returns how many functions ran.
 * @param {TasksData} data
 * @param {JobContext} context
 */
export async function work({ queue: handle, words: region, calls }, { random, pause }) {
  const queue = TaskQueue.from(handle);
  const words = Region.from(region).int32;
  let ran = 0;
  const body = async () => {
    begin(words);
    if (random.chance(30)) await pause(0);
    else if (random.chance(50)) await Promise.resolve();
    ran += 1;
    end(words);
    if (random.chance(10)) throw new Error('thrown');
  };
  for (let left = calls; left > 0; left -= 20) {
    const ends = Array.from({ length: Math.min(20, left) }, (_, index) => {
      if (!random.chance(20)) return queue.add(body, { id: `${index}`, priority: random.below(3) });
      const cancel = new AbortController();
      const added = queue.add(
        () => {
          // The promise of a task that is aborted while it runs rejects before its end. So this one ends at once.
          begin(words);
          ran += 1;
          end(words);
        },
        { signal: cancel.signal },
      );
      setImmediate(() => cancel.abort());
      return added;
    });
    const settled = Promise.allSettled(ends);
    if (random.chance(20)) {
      queue.pause();
      await pause(0);
      queue.start();
    }
    if (random.chance(20)) {
      try {
        queue.setPriority('19', 5);
      } catch (failure) {
        if (!(failure instanceof ReferenceError)) throw failure;
      }
    }
    for (const end of await settled) {
      const failure = /** @type {{ reason?: { name: string, message: string } }} */ (end).reason;
      if (failure === undefined || failure.message === 'thrown' || failure.name === 'AbortError') continue;
      throw new Error('a task failed', { cause: failure });
    }
  }
  await queue.onIdle();
  return ran;
}

/**
 * Fills its share of slots with functions that never end, and adds further tasks that wait.
 * @param {TasksData} data
 * @param {JobContext} context
 */
export async function hang({ queue: handle, words: region, calls }, { say }) {
  const queue = TaskQueue.from(handle);
  const words = Region.from(region).int32;
  for (let call = 0; call < calls; call++) {
    void queue.add(() => {
      Atomics.add(words, RUNNING, 1);
      return new Promise(() => undefined);
    });
  }
  say('hangs');
  await new Promise((resolve) => setTimeout(resolve, 2 ** 30));
}
