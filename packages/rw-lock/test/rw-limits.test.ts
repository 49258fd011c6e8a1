// Tests the maximum number of readers and writers.

import { Arena } from '@sluice/core';
import { expect, test } from 'vitest';
import { contextOf } from '../../core/src/arena/arena.ts';
import { OFFICE } from '../../core/src/kernel/layout.ts';
import { expectAtRest, officeAt } from '../../core/test/support/at-rest.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { RwLock } from '../src/index.ts';
import { withoutAges } from '../../core/test/support/without-ages.ts';

const MOST = 2_097_151;
const MAX_WRITERS = 131_071;

function create(): { arena: Arena; ours: RwLock; theirs: RwLock } {
  const arena = Arena.create({ maxPages: 4 });
  const ours = RwLock.create({ arena });
  return { arena, ours, theirs: openAs(secondAgent(arena), ours.handle, (handle) => RwLock.from(handle)) };
}

const body = (): never => {
  throw new Error('The callback was called.');
};

/** Expects that every call on that side throws and takes nothing. */
async function expectFull(side: RwLock['reader'] | RwLock['writer'], kind: 'readers' | 'writers'): Promise<void> {
  const says = `has ${kind === 'readers' ? MOST : MAX_WRITERS} ${kind} already, which is the maximum. It was not locked.`;
  const blocking = [
    () => side.lock(),
    () => side.tryLock(),
    () => side.tryLock(5),
    () => side.tryLock(Infinity),
    () => side.hold(),
    () => side.tryHold(),
    () => side.run(body),
  ];
  for (const call of blocking) {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(says);
  }
  const waiting = [
    () => side.lockAsync(),
    () => side.lockAsync({ timeout: 0 }),
    () => side.holdAsync(),
    () => side.runAsync(body),
  ];
  for (const call of waiting) await expect(call()).rejects.toThrow(says);
}

test('2,097,151 readers are admitted, every call for one more throws, and all can unlock', async () => {
  const { arena, ours, theirs } = create();
  for (let count = 0; count < MOST; count++) ours.reader.lock();
  expect([ours.reader.held, theirs.reader.held]).toEqual([MOST, 0]);
  const before = [officeAt(arena, ours.handle.address), ours.inspect(), theirs.inspect()];
  for (const { reader } of [ours, theirs]) await expectFull(reader, 'readers');
  expect(withoutAges([officeAt(arena, ours.handle.address), ours.inspect(), theirs.inspect()])).toEqual(
    withoutAges(before),
  );
  expect([theirs.writer.tryLock(), ours.reader.held]).toEqual([false, MOST]);

  const write = theirs.writer.lockAsync();
  await expectFull(theirs.reader, 'readers');
  ours.reader.unlock();
  const read = theirs.reader.lockAsync();
  await expectFull(theirs.reader, 'readers');
  for (let count = 0; count < MOST - 1; count++) ours.reader.unlock();
  await write;
  expect(() => ours.reader.unlock()).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
  theirs.writer.unlock();
  await read;
  theirs.reader.unlock();
  expectAtRest(arena, ours.handle);
});

/** Sets the word of the box office to a value, runs `act`, and restores the word. */
async function whileItSays(arena: Arena, lock: RwLock, office: bigint, act: () => Promise<void> | void): Promise<void> {
  const { words } = contextOf(arena);
  const word = lock.handle.address + OFFICE;
  const before = words.load64(word);
  words.store64(word, BigInt.asIntN(64, office));
  await act();
  expect(BigInt.asUintN(64, words.load64(word))).toBe(office);
  words.store64(word, before);
}

test('131,071 writers are counted, and every call for one more throws', async () => {
  const { arena, ours, theirs } = create();
  const writers = BigInt(MAX_WRITERS) << 42n;
  await whileItSays(arena, ours, writers, async () => {
    for (const { writer } of [ours, theirs]) await expectFull(writer, 'writers');
    expect(theirs.reader.tryLock()).toBe(false);
  });
  // Now with the notice of a dead writer.
  await whileItSays(arena, ours, writers | (1n << 63n), () => expectFull(theirs.writer, 'writers'));
  expectAtRest(arena, ours.handle);
});

test('the maximum counts waiting readers together with admitted ones', async () => {
  const { arena, ours } = create();
  for (const [reading, waiting] of [
    [MOST, 0],
    [0, MOST],
    [1_000_000, MOST - 1_000_000],
  ] as const) {
    const office = BigInt(reading) | (BigInt(waiting) << 21n) | (1n << 42n);
    await whileItSays(arena, ours, office, () => expectFull(ours.reader, 'readers'));
  }
  expectAtRest(arena, ours.handle);
});

test('downgrade() throws when the maximum number of readers wait, and the write lock stays', async () => {
  const { arena, ours } = create();
  ours.writer.lock();
  await whileItSays(arena, ours, (BigInt(MOST) << 21n) | (1n << 42n), () => {
    expect(() => ours.downgrade()).toThrow(RangeError);
    expect([ours.writer.owned, ours.reader.held]).toEqual([true, 0]);
  });
  ours.downgrade();
  ours.reader.unlock();
  expectAtRest(arena, ours.handle);
});
