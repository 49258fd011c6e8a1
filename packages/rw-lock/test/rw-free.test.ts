import { Arena, HandleError, MisuseError } from '@sluice/core';
import { expect, test } from 'vitest';
import { expectAtRest, officeAt } from '../../core/test/support/at-rest.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { RwLock } from '../src/index.ts';

const arena = Arena.create({ maxPages: 16, policy: { buckets: 8 } });
const other = secondAgent(arena);

function create(): { ours: RwLock; theirs: RwLock } {
  const ours = RwLock.create({ arena });
  return { ours, theirs: openAs(other, ours.handle, (handle) => RwLock.from(handle)) };
}

test('the next lock reuses the memory of a freed one, whose handle is refused', () => {
  const { ours } = create();
  ours.free();
  const next = RwLock.create({ arena });
  expect(next.handle.address).toBe(ours.handle.address);
  expect(() => RwLock.from(ours.handle)).toThrow(HandleError);
  expect([next.writer.owned, next.reader.held]).toEqual([false, 0]);
  expectAtRest(arena, next.handle);
  next.free();
});

test('free() by one agent frees the instances of all agents', () => {
  const { ours, theirs } = create();
  theirs.free();
  for (const { reader, writer } of [ours, theirs]) {
    for (const side of [reader, writer]) expect(() => side.tryLock()).toThrow(MisuseError);
  }
});

test('free() throws while an agent holds the lock on either side', () => {
  const { ours, theirs } = create();
  for (const side of [ours.reader, theirs.reader, ours.writer, theirs.writer]) {
    side.lock();
    for (const lock of [ours, theirs]) expect(() => lock.free()).toThrow('is in use and cannot be freed');
    side.unlock();
    expectAtRest(arena, ours.handle);
  }
  ours.free();
});

test('free() throws while an agent waits, and after its admission until its task has run', async () => {
  const { ours, theirs } = create();
  for (const side of ['reader', 'writer'] as const) {
    ours.writer.lock();
    const wait = theirs[side].lockAsync();
    expect(() => theirs.free()).toThrow(MisuseError);
    ours.writer.unlock();
    for (const lock of [ours, theirs]) expect(() => lock.free()).toThrow(MisuseError);
    await wait;
    theirs[side].unlock();
    expectAtRest(arena, ours.handle);
  }
  ours.free();
});

test('after free() the agent holds nothing', () => {
  const { ours } = create();
  ours.free();
  expect(arena.inspect().agents.map(({ holds }) => holds)).toEqual([[], []]);
});

const USES: readonly (readonly [call: string, use: (lock: RwLock) => unknown])[] = [
  ['reader.lock()', (lock) => lock.reader.lock()],
  ['reader.tryLock()', (lock) => lock.reader.tryLock()],
  ['reader.tryLock(5)', (lock) => lock.reader.tryLock(5)],
  ['reader.lockAsync()', (lock) => lock.reader.lockAsync()],
  ['reader.unlock()', (lock) => lock.reader.unlock()],
  ['reader.hold()', (lock) => lock.reader.hold()],
  ['reader.run(body)', (lock) => lock.reader.run(() => 0)],
  ['writer.lock()', (lock) => lock.writer.lock()],
  ['writer.tryLock()', (lock) => lock.writer.tryLock()],
  ['writer.tryLock(5)', (lock) => lock.writer.tryLock(5)],
  ['writer.lockAsync()', (lock) => lock.writer.lockAsync()],
  ['writer.unlock()', (lock) => lock.writer.unlock()],
  ['writer.hold()', (lock) => lock.writer.hold()],
  ['writer.run(body)', (lock) => lock.writer.run(() => 0)],
  ['writer.runAsync(body)', (lock) => lock.writer.runAsync(() => 0)],
  ['writer.markConsistent()', (lock) => lock.writer.markConsistent()],
  ['downgrade()', (lock) => lock.downgrade()],
  ['name', (lock) => lock.name],
  ['inspect()', (lock) => lock.inspect()],
  ['free()', (lock) => lock.free()],
];

/** Calls that throw although this agent holds the lock in its place, on either side. */
async function expectRefusedByStale(use: (lock: RwLock) => unknown): Promise<void> {
  for (const side of ['reader', 'writer'] as const) {
    const { ours } = create();
    ours.free();
    const next = RwLock.create({ arena });
    expect(next.handle.address).toBe(ours.handle.address);
    next[side].lock();
    const before = officeAt(arena, next.handle.address);
    await expect(Promise.resolve().then(() => use(ours))).rejects.toThrow(MisuseError);
    expect(officeAt(arena, next.handle.address)).toEqual(before);
    next[side].unlock();
    next.free();
  }
}

test.each(USES)('%s of a freed lock throws and does not touch the lock in its place', async (_, use) => {
  await expectRefusedByStale(use);
});

test.each([
  ['reader.held', (lock: RwLock) => lock.reader.held],
  ['writer.owned', (lock: RwLock) => lock.writer.owned],
] as const)('%s of a freed lock throws', async (_, use) => {
  await expectRefusedByStale(use);
});

/**
 * Calls that throw although the ledger entry of the freed lock belongs to another lock now. This agent holds so many
 * locks that all entries are used.
 */
async function expectRefusedByOld(use: (lock: RwLock) => unknown): Promise<void> {
  for (const side of ['reader', 'writer'] as const) {
    const old = create().ours;
    old.free();
    for (let count = 0; count < 200; count++) RwLock.create({ arena }).free();
    const locks = Array.from({ length: 80 }, () => RwLock.create({ arena }));
    for (const lock of locks) lock[side].lock();
    const outcome = await Promise.resolve()
      .then(() => use(old))
      .catch((failure: unknown) => failure);
    for (const lock of locks) lock[side].unlock();
    for (const lock of locks) lock.free();
    expect(outcome).toBeInstanceOf(MisuseError);
  }
}

const OTHER_USES = USES.filter(([call]) => call !== 'writer.unlock()');

test.each(OTHER_USES)('%s of a freed lock throws although this agent holds many others', async (_, use) => {
  await expectRefusedByOld(use);
});

test('writer.unlock() of a freed lock throws although this agent holds many others', async () => {
  await expectRefusedByOld((lock) => lock.writer.unlock());
});

test('10,000 locks, each freed before the next is created, take no more memory than the first 200', () => {
  const used = (): number => arena.inspect().used;
  for (let round = 0; round < 200; round++) RwLock.create({ arena, name: `${round}` }).free();
  const before = used();
  for (let round = 0; round < 10_000; round++) {
    const lock = RwLock.create({ arena });
    lock.reader.lock();
    lock.reader.unlock();
    lock.writer.lock();
    lock.writer.unlock();
    lock.free();
  }
  expect(used()).toBe(before);
});
