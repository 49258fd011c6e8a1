// Tests that a pending wait at a freed semaphore keeps the memory. A mutex gets the block only after the wait has
// ended.

import { Arena, ClosedError, Semaphore } from '@sluice/core';
import { leaveLine } from '../../core/src/line/line.ts';
import { contextOf } from '../../core/src/arena/arena.ts';
import { FLAG_RECOVERY, FLAGS, MODE_ASYNC } from '../../core/src/kernel/layout.ts';
import { SHUT } from '../../core/src/kernel/states.ts';
import { expect, test } from 'vitest';
import { Mutex } from '../src/index.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import './support/kinds.ts';
import { asElement, asLine } from '../../core/src/kernel/addresses.ts';

/** Returns whether one of the next mutexes lies at that address. Retired blocks are checked from time to time. */
function createUntil(arena: Arena, address: number): boolean {
  for (let count = 0; count < 1000; count++) if (Mutex.create({ arena }).handle.address === address) return true;
  return false;
}

test.each(['wasm', 'js'] as const)(
  'a granted wait that has not seen its grant keeps the memory of its freed semaphore until it has ended (%s)',
  async (engine) => {
    const arena = Arena.create({ engine: engineNamed(engine) });
    const semaphore = Semaphore.create(0, { arena });
    const wait = semaphore.acquireAsync();
    semaphore.release();
    semaphore.free();
    const mutex = Mutex.create({ arena });
    expect(mutex.handle.address).not.toBe(semaphore.handle.address);
    await expect(wait).rejects.toThrow(ClosedError);
    expect(mutex.inspect()).toMatchObject({ owner: 0, waiters: [] });
    expect(createUntil(arena, semaphore.handle.address)).toBe(true);
    mutex.lock();
    mutex.unlock();
  },
);

test.each(['wasm', 'js'] as const)(
  'a drawn ticket that is in no chain keeps the memory of its freed semaphore until it is cancelled (%s)',
  (engine) => {
    const arena = Arena.create({ engine: engineNamed(engine) });
    const context = contextOf(arena);
    const semaphore = Semaphore.create(0, { arena });
    const { address, tag } = semaphore.handle;
    expect(context.words.get32(address + FLAGS)).toBe(FLAG_RECOVERY);
    context.refill();
    const lineState = context.lineState(asLine(address), tag, { recorded: true });
    const { entry } = lineState;
    const element = context.begin(
      asElement(context.kernel.acquire(asLine(address), tag, entry, 1, context.agent)),
      entry,
      MODE_ASYNC,
    );
    semaphore.close();
    semaphore.free();
    const mutex = Mutex.create({ arena });
    expect(mutex.handle.address).not.toBe(address);
    mutex.lock();
    const waiting = mutex.lockAsync();
    const before = context.kernel.balance(asLine(address));
    expect(leaveLine(context, lineState, asElement(element))).toBe(SHUT);
    expect(context.kernel.balance(asLine(address))).toBe(before);
    expect(createUntil(arena, address)).toBe(true);
    mutex.unlock();
    return waiting.then(() => {
      mutex.unlock();
    });
  },
);
