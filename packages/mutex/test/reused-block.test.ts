// What was left behind at a semaphore or a mutex that was freed does nothing to the mutex that gets its block.

import { Arena, MisuseError, Semaphore } from '@sluice/core';
import { leaveLine } from '../../core/src/semaphore/line.ts';
import { seatOf } from '../../core/src/arena/arena.ts';
import { FLAG_RECOVERY, FLAGS, MODE_ASYNC } from '../../core/src/kernel/layout.ts';
import { SHUT } from '../../core/src/kernel/states.ts';
import { expect, test } from 'vitest';
import { Mutex } from '../src/index.ts';

test.each(['wasm', 'js'] as const)('a wait that was granted, not seen, and whose semaphore was freed does not get the mutex (%s)', async (engine) => {
  const arena = Arena.create({ engine });
  const semaphore = Semaphore.create(0, { arena });
  const wait = semaphore.acquireAsync();
  semaphore.release();
  semaphore.free();
  const mutex = Mutex.create({ arena });
  expect(mutex.handle.address).toBe(semaphore.handle.address);
  await expect(wait).rejects.toThrow(MisuseError);
  expect(mutex.inspect()).toMatchObject({ owner: 0, waiters: [] });
  mutex.lock();
  mutex.unlock();
});

test.each(['wasm', 'js'] as const)('a ticket that was drawn and is in no chain is not rolled back at the mutex (%s)', (engine) => {
  const arena = Arena.create({ engine });
  const seat = seatOf(arena);
  const semaphore = Semaphore.create(0, { arena });
  const { address, tag } = semaphore.handle;
  expect(seat.words.get32(address + FLAGS)).toBe(FLAG_RECOVERY);
  seat.refill();
  const { entry } = seat.standing(address, tag, true);
  const element = seat.begin(seat.kernel.acquire(address, tag, entry, 1, seat.agent), entry, MODE_ASYNC);
  semaphore.close();
  semaphore.free();
  const mutex = Mutex.create({ arena });
  expect(mutex.handle.address).toBe(address);
  mutex.lock();
  const waiting = mutex.lockAsync();
  const before = seat.kernel.balance(address);
  expect(leaveLine(seat, element, entry)).toBe(SHUT);
  expect(seat.kernel.balance(address)).toBe(before);
  mutex.unlock();
  return waiting.then(() => {
    mutex.unlock();
  });
});
