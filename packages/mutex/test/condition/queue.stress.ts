import { Condition, type ConditionLock, Mutex, RecursiveMutex } from '@sluice/mutex';
import { Arena, Region } from '@sluice/core';
import { scale, Session, withWorkers } from '@sluice/harness';
import { RwLock } from '@sluice/rw-lock';
import { expect, test } from 'vitest';
import { consume, engineFor, PLACES, produce, PUT, ROOM, TAKEN, type QueueData, type Way } from './jobs/queue.mjs';

const jobs = new URL('./jobs/queue.mjs', import.meta.url);

type Sort = 'turns' | 'fifo' | 'recursive' | 'writer';

function create(arena: Arena, sort: Sort): { lock: ConditionLock; handle: QueueData['lock'] } {
  if (sort === 'writer') {
    const { writer, handle } = RwLock.create({ arena });
    return { lock: writer, handle };
  }
  const lock = sort === 'recursive' ? RecursiveMutex.create({ arena }) : Mutex.create({ arena, order: sort });
  return { lock, handle: lock.handle };
}

/** The ways of producers and consumers, in turn, as many of the one as of the other. */
const CASES: readonly (readonly [sort: Sort, ways: Way[], engine: 'wasm' | 'js', items: number, spinMicros: number])[] =
  [
    ['turns', ['blocking', 'blocking', 'blocking', 'blocking'], 'wasm', 8000, 20],
    ['turns', ['blocking', 'patient', 'async', 'patient'], 'wasm', 3000, 0],
    ['fifo', ['blocking', 'blocking', 'patient', 'blocking'], 'wasm', 4000, 0],
    ['recursive', ['blocking', 'async', 'blocking', 'async'], 'wasm', 3000, 20],
    ['writer', ['blocking', 'patient', 'blocking', 'async'], 'wasm', 3000, 20],
    ['turns', ['blocking', 'patient', 'async', 'blocking'], 'js', 2000, 20],
  ];

test.each(CASES)(
  'no notification is lost and no item is taken twice (%s, %j, %s, %i items, %i us to spin)',
  async (sort, ways, engine, items, spinMicros) => {
    const session = new Session(`a queue with conditions, ${sort}, ${ways.join(', ')}, ${engine}`);
    const arena = Arena.create({ maxPages: 16, engine: engineFor(engine), policy: { spinMicros } });
    const { lock, handle } = create(arena, sort);
    const [hasRoom, hasItem] = ['has room', 'has item'].map((name) => Condition.create(lock, { name })) as [
      Condition,
      Condition,
    ];
    const words = Region.create(4 * (PLACES + ROOM), { arena });
    const total = scale(items);
    const data: QueueData = {
      arena: arena.handle,
      engine,
      lock: handle,
      hasRoom: hasRoom.handle,
      hasItem: hasItem.handle,
      words: words.handle,
      ways,
      items: total,
      inside: session.random.chance(50),
    };
    const dump = (): unknown => ({ conditions: [hasRoom.inspect(), hasItem.inspect()], words: [...words.int32] });
    const half = ways.length / 2;
    const sums = await withWorkers({ jobs, seed: session.seed, dump }, async (group) => {
      group.start<number>(half, produce.name, () => data);
      group.start<number>(half, consume.name, () => data);
      return group.results<number>();
    });
    session.done(2 * total * half, `notified ${data.inside ? 'with' : 'without'} the lock`);
    expect(sums.reduce((sum, part) => sum + part)).toBe((half * total * (total + 1)) / 2);
    expect([words.int32[PUT], words.int32[TAKEN]]).toEqual([half * total, half * total]);
    expect([hasRoom.waiting, hasItem.waiting, lock.tryLock()]).toEqual([0, 0, true]);
    lock.unlock();
    hasRoom.free();
    hasItem.free();
    expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
  },
);
