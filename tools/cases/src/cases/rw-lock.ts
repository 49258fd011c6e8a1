// Readers must never see two numbers that differ: a writer changes both, and so does a reader that upgrades.

import type { RegionHandle, RwLockHandle } from 'sluice';
import { addSlowly, equal, meet, rest, type MainTools, type WorkerTools } from '../tools.ts';

const ROUNDS = 300;
const WORKERS = 4;
/** The word after the two numbers. */
const ARRIVED = 2;

interface Data {
  readonly lock: RwLockHandle;
  readonly numbers: RegionHandle;
}

export const jobs = {
  write({ sluice }: WorkerTools, { lock: handle, numbers }: Data): void {
    const { writer } = sluice.RwLock.from(handle);
    const { int32 } = sluice.Region.from(numbers);
    meet(int32, ARRIVED, WORKERS);
    for (let round = 0; round < ROUNDS; round++) {
      writer.run(() => {
        int32[0] = (int32[0] ?? 0) + 1;
        addSlowly(int32, 1, round);
      });
    }
  },
  /** Reads, then writes, with no other writer in between. */
  upgrade({ sluice }: WorkerTools, { lock: handle, numbers }: Data): void {
    const { upgradeable } = sluice.RwLock.from(handle);
    const { int32 } = sluice.Region.from(numbers);
    meet(int32, ARRIVED, WORKERS);
    for (let round = 0; round < ROUNDS; round++) {
      upgradeable.run(() => {
        const seen = int32[0] ?? 0;
        upgradeable.upgrade();
        equal([...int32.subarray(0, 2)], [seen, seen], 'what it read before the upgrade');
        int32[0] = seen + 1;
        int32[1] = seen + 1;
        if (round % 2 === 0) upgradeable.downgrade();
      });
    }
  },
  read({ sluice }: WorkerTools, { lock: handle, numbers }: Data): void {
    const { reader } = sluice.RwLock.from(handle);
    const { int32 } = sluice.Region.from(numbers);
    meet(int32, ARRIVED, WORKERS);
    for (let round = 0; round < ROUNDS; round++) {
      reader.run(() => {
        const first = int32[0];
        if (round % 40 === 1) rest();
        equal(first, int32[1], 'what a reader sees');
      });
    }
  },
};

export async function main({ sluice, arena, start }: MainTools): Promise<void> {
  const lock = sluice.RwLock.create({ arena, upgradeable: true });
  const numbers = sluice.Region.create(12, { arena });
  const data: Data = { lock: lock.handle, numbers: numbers.handle };
  const workers = [start('write', data), start('upgrade', data), start('read', data), start('read', data)];
  const { int32 } = numbers;
  for (let round = 0; round < 20; round++) {
    await lock.reader.runAsync(() => equal(int32[0], int32[1], 'what the main thread sees'));
    await lock.writer.runAsync(() => {
      int32[0] = (int32[0] ?? 0) + 1;
      int32[1] = (int32[1] ?? 0) + 1;
    });
  }
  await Promise.all(workers.map(({ done }) => done));
  equal([...int32.subarray(0, 2)], [2 * ROUNDS + 20, 2 * ROUNDS + 20], 'the numbers');
}
