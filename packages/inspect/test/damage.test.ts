// Reports of an arena of which one word is damaged end with a text, or with an error of Sluice.

import { depth, Random } from '@sluice/harness';
import { expect, test } from 'vitest';
import { BoundedBuffer } from '../../bounded-buffer/src/index.ts';
import { Arena, hasCode, Semaphore } from '../../core/src/index.ts';
import { Mutex } from '../../mutex/src/index.ts';
import { findDeadlocks, formatReport } from '../src/index.ts';

const TRIES = depth === 'full' ? 20_000 : 1000;
const VALUES = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 64, 0x1234_5678];

/** Returns 'text', or the code of the error. Fails for any other outcome. */
function outcomeOf(report: () => unknown): string {
  try {
    report();
    return 'text';
  } catch (failure) {
    if (hasCode(failure, 'SLUICE_CORRUPT_ARENA')) return failure.code;
    throw failure;
  }
}

test(`${TRIES} arenas with a damaged word have a report, or an error that says so`, async () => {
  const random = new Random(33);
  const arena = Arena.create({ maxPages: 4 });
  const [lock, permits] = [Mutex.create({ arena, name: 'lock' }), Semaphore.create(1, { arena, name: 'permits' })];
  const jobs = BoundedBuffer.create({ arena, codec: 'int32', capacity: 1, name: 'jobs' });
  lock.lock();
  permits.acquire();
  jobs.push(1);
  const waits = [lock.lockAsync(), permits.acquireAsync(), jobs.pushAsync(2)];
  const words = new Int32Array(arena.handle.memory.buffer, 0, arena.inspect().used / 4);
  const outcomes = new Map<string, number>();
  for (let tries = 0; tries < TRIES; tries++) {
    const at = random.below(words.length);
    const [before = 0, value = 0] = [words[at], VALUES[random.below(VALUES.length)]];
    words[at] = value;
    for (const report of [formatReport, findDeadlocks]) {
      const outcome = outcomeOf(() => report(arena));
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    words[at] = before;
  }
  expect(outcomes.get('text')).toBeGreaterThan(TRIES);
  lock.unlock();
  permits.release();
  jobs.pop();
  await Promise.all(waits);
});
