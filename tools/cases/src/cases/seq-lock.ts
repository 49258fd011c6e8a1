// Readers without a lock must never see a torn value: every number of it is the same. Short values, and long ones.

import type { SeqLockHandle } from 'sluice';
import { check, equal, failure, type MainTools, type WorkerTools } from '../tools.ts';

/** A value of 16 bytes is copied in one step, one of 400 in several. */
const LENGTHS = [16, 400];
const WRITERS = 2;
const ROUNDS = 300;
const AWAITED = 20;

const add = ({ float64 }: { readonly float64: Float64Array }): void => void float64.fill((float64[0] ?? 0) + 1);

/** The number that all numbers of a value are. */
function numberOf({ float64 }: { readonly float64: Float64Array }, at: string): number {
  const [first = 0] = float64;
  check(
    float64.every((each) => each === first),
    `a torn value ${at}: ${float64.join(' ')}`,
  );
  return first;
}

export const jobs = {
  write({ sluice }: WorkerTools, handles: readonly SeqLockHandle[]): void {
    for (const handle of handles) {
      const lock = sluice.SeqLock.from(handle);
      for (let round = 0; round < ROUNDS; round++) lock.update(add);
    }
  },
  /** Returns how many values it saw. */
  read({ sluice }: WorkerTools, handles: readonly SeqLockHandle[]): number {
    let seen = 0;
    for (const handle of handles) {
      const lock = sluice.SeqLock.from(handle);
      const [value, snapshot] = [lock.read(), lock.snapshot()];
      for (let last = 0, isOver = false; !isOver; ) {
        // The last value, too: nothing is written after the close.
        isOver = lock.closed;
        const next = numberOf(lock.read(value), 'in a worker');
        check(next >= last, `the value ${next} after ${last}`);
        snapshot.refresh();
        check(numberOf(snapshot, 'in a snapshot') >= next, `a snapshot older than the value ${next}`);
        if (next !== last) seen += 1;
        last = next;
      }
    }
    return seen;
  },
};

export async function main({ sluice, arena, start }: MainTools): Promise<void> {
  const locks = LENGTHS.map((byteLength) => sluice.SeqLock.create({ byteLength, arena }));
  const handles = locks.map(({ handle }) => handle);
  const reading = start('read', handles);
  const writing = Array.from({ length: WRITERS }, () => start('write', handles));
  for (const lock of locks) {
    for (let round = 0; round < AWAITED; round++) {
      await lock.updateAsync(add, { timeout: 30_000 });
      numberOf(await lock.readAsync(), 'in the main thread');
    }
  }
  await Promise.all(writing.map(({ done }) => done));
  for (const lock of locks) lock.close();
  check(((await reading.done) as number) >= locks.length, 'the reader saw the values of both');
  for (const lock of locks) {
    const writes = WRITERS * ROUNDS + AWAITED;
    equal(
      [numberOf(await lock.readAsync(), 'in the end'), lock.version],
      [writes, writes],
      'the number, and the version',
    );
    await failure(() => lock.updateAsync(add), 'SLUICE_CLOSED');
  }
}
