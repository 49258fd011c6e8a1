// Operations of the victim: releasing permits, closing, waiting without an element.

import { compact } from '../../src/agent/compaction.ts';
import { at, SPINS, type More } from './crash-lines.ts';
import { refused, together, type Operation } from './crash-stage.ts';

/** The victim releases all `permits` in parts, while the living agent has one wait for each of `sizes`. */
function releases(
  what: string,
  permits: number,
  sizes: readonly number[],
  parts: readonly number[],
  more: More = {},
  leave: readonly number[] = [],
): Operation {
  return at(
    permits,
    `releases ${parts.join(', ')} of ${permits} to ${what}`,
    ({ ours, theirs }) => {
      theirs.acquire(permits);
      ours.wait(...sizes);
      for (const index of leave) ours.leave(index);
      return () => parts.forEach((part) => theirs.release(part));
    },
    more,
  );
}

const releasing: readonly Operation[] = [
  releases('one', 1, [1], [1]),
  releases('an empty line', 3, [], [2]),
  releases('four waiters in four buckets', 4, [1, 1, 1, 1], [4]),
  releases('more waiters than buckets', 6, [1, 1, 1, 1, 1, 1], [6]),
  releases('waiters for several permits', 6, [2, 3, 1], [6]),
  releases('waiters for several permits, one by one', 3, [3, 2], [1, 1, 1]),
  releases('the waiters that did not cancel', 6, [1, 2, 1, 3, 1], [3], {}, [1, 3]),
  releases('one waiter behind many cancelled ones', 2, [1, 1, 1, 1, 1], [1], {}, [0, 1, 2, 3]),
  releases('a line in one bucket', 4, [2, 1, 1, 2], [1, 2], { world: { buckets: 1 } }, [1]),
  releases('several waiters, with a maximum', 4, [1, 2], [1, 3], { max: 5 }),
  releases('one waiter, and wakes the next early', 3, [1, 1, 1], [1], { world: SPINS }),
  at(1, 'merges the tombstones of others', ({ stage, ours }) => {
    ours.take();
    ours.wait(1, 1, 1, 1, 1);
    for (const index of [1, 2, 3]) ours.leave(index);
    return () => compact(stage.victim.context);
  }),
  at(2, 'merges the tombstones of others, and releases', ({ stage, ours, theirs }) => {
    theirs.acquire(2);
    ours.wait(1, 1, 1, 1, 1);
    for (const index of [2, 1]) ours.leave(index);
    return () => {
      compact(stage.victim.context);
      theirs.release(2);
    };
  }),
  at(
    2,
    'releases permits that another agent acquired',
    ({ ours, theirs }) => {
      ours.take(2);
      return () => {
        theirs.release();
        ours.held -= 1;
      };
    },
    { singleStep: true },
  ),
  at(
    3,
    'releases more than was acquired',
    ({ ours, theirs }) => {
      ours.take();
      theirs.acquire();
      return () => {
        theirs.release(4);
        ours.permits += 2;
        ours.held -= 1;
      };
    },
    { singleStep: true },
  ),
  at(
    2,
    'releases more than may be free',
    ({ theirs }) =>
      () =>
        refusedOver(() => theirs.release()),
    { max: 2 },
  ),
  {
    name: 'releases with waiters of another semaphore in the same bucket',
    world: { buckets: 1 },
    prepare(stage) {
      const [one, other] = [stage.semaphore(2), stage.semaphore(2)];
      one.theirs.acquire(2);
      other.ours.take(2);
      for (const { ours } of [other, one, other, one]) ours.wait(1);
      return () => one.theirs.release(2);
    },
  },
];

function refusedOver(call: () => unknown): void {
  try {
    call();
  } catch (failure) {
    if (failure instanceof RangeError) return;
    throw failure;
  }
}

const closing: readonly Operation[] = [
  at(
    1,
    'closes',
    ({ theirs }) =>
      () =>
        theirs.close(),
  ),
  at(3, 'closes while other agents and the victim itself wait', ({ stage, ours, theirs }) => {
    ours.take();
    theirs.acquire();
    ours.wait(2, 1, 3);
    const own = together([refused('SLUICE_CLOSED', () => theirs.acquireAsync(2, { ref: false }))]);
    return async () => {
      theirs.close();
      await stage.settle();
      await own;
    };
  }),
  at(1, 'closes with waiters of another semaphore in the same buckets', ({ stage, ours, theirs }) => {
    const other = stage.shadowUser(1);
    other.take();
    other.wait(1, 1, 1, 1);
    ours.take();
    ours.wait(1, 1);
    return () => theirs.close();
  }),
  at(1, 'blocks until it is closed', ({ stage, ours, theirs }) => {
    ours.take();
    stage.life.meanwhile.push(() => ours.sem.close());
    return () => refused('SLUICE_CLOSED', () => theirs.acquire());
  }),
  at(1, 'uses a closed semaphore', ({ ours, theirs }) => {
    theirs.acquire();
    ours.sem.close();
    return async () => {
      await refused('SLUICE_CLOSED', () => theirs.acquire());
      await refused('SLUICE_CLOSED', () => theirs.tryAcquire());
      theirs.release();
    };
  }),
];

export const releaseOperations: readonly Operation[] = [...releasing, ...closing];
