import { expect, test } from 'vitest';
import { contextOf } from '../src/arena/arena.ts';
import { isStart } from '../src/memory/blocks.ts';
import { Heap } from '../src/memory/heap.ts';
import { Arena, ArenaFullError, HandleError, MisuseError, Region, Semaphore } from '../src/index.ts';
import { HEADER_TAGS } from '../src/kernel/layout.ts';
import { Random, Session } from '@sluice/harness';

const LINE = 128;
const MIB = 2 ** 20;

function smallArena(maxPages = 4): Arena {
  return Arena.create({ initialPages: 1, maxPages, policy: { buckets: 1 } });
}

function kinds(arena: Arena): [kind: string, bytes: number][] {
  return arena.inspect().blocks.map(({ kind, bytes }) => [kind, bytes]);
}

test('a region of 33 MiB fits an arena of 64 MiB', () => {
  const arena = Arena.create({ maxPages: 1024 });
  const region = Region.create(33 * MIB, { arena });
  region.bytes[33 * MIB - 1] = 1;
  expect(region.byteLength).toBe(33 * MIB);
});

test('a large request uses neighbouring free blocks joined', () => {
  const arena = smallArena();
  const regions = Array.from({ length: 6 }, () => Region.create(LINE, { arena }));
  const [first] = regions;
  const { used } = arena.inspect();
  for (const region of regions) region.free();
  const large = Region.create(11 * LINE, { arena });
  expect([large.handle.address, arena.inspect().used]).toEqual([first?.handle.address, used]);
});

test('a small request splits a larger free block, and the rest stays free', () => {
  const arena = smallArena();
  const large = Region.create(9 * LINE, { arena });
  const { address } = large.handle;
  large.free();
  const small = Region.create(2 * LINE, { arena });
  expect(small.handle.address).toBe(address);
  const rest = arena.inspect().blocks.find(({ kind }) => kind === 'free');
  expect(rest).toMatchObject({ address: address + 3 * LINE, bytes: 7 * LINE });
});

test('a region in the memory of several freed primitives begins with zeroes', () => {
  const arena = smallArena();
  const regions = Array.from({ length: 5 }, () => Region.create(3 * LINE, { arena }));
  for (const region of regions) region.bytes.fill(255);
  for (const region of regions) region.free();
  expect(Region.create(19 * LINE, { arena }).bytes.every((byte) => byte === 0)).toBe(true);
});

test('a full arena joins and splits free blocks before create() throws', () => {
  const arena = smallArena(1);
  const regions: Region[] = [];
  expect(() => {
    for (;;) regions.push(Region.create(LINE, { arena }));
  }).toThrow(ArenaFullError);
  for (const region of regions.slice(10, 20)) region.free();
  expect(() => Region.create(20 * LINE, { arena })).toThrow(ArenaFullError);
  expect(Region.create(19 * LINE, { arena }).byteLength).toBe(19 * LINE);
});

test('none of twenty thousand creations after one freed block visits more than a few blocks', () => {
  const arena = Arena.create({ maxPages: 1024 });
  const { words } = contextOf(arena);
  Region.create(LINE, { arena }).free();
  const load = words.load32.bind(words);
  let loads = 0;
  words.load32 = (address) => {
    loads += 1;
    return load(address);
  };
  const count = 20_000;
  for (let index = 0; index < count; index++) Region.create(5 * LINE, { arena });
  expect(loads / count).toBeLessThan(100);
});

test('an agent reuses a block that another agent freed', () => {
  const arena = smallArena();
  const { words, kernel } = contextOf(arena);
  const region = Region.create(LINE, { arena });
  const { address } = region.handle;
  region.free();
  // A heap that does not remember its own frees, like that of another thread.
  const heap = new Heap(arena.handle.memory, 4);
  expect(heap.allocate({ words, kernel, id: arena.agentId }, 2 * LINE)).toBe(address);
});

test('in random creations and frees, blocks never overlap and cover the heap without a gap', () => {
  const session = new Session('creations and frees at random');
  const random = new Random(session.seed);
  const arena = smallArena(16);
  const living: Region[] = [];
  const steps = 4000;
  for (let step = 0; step < steps; step++) {
    if (living.length > 0 && random.chance(50)) living.splice(random.below(living.length), 1)[0]?.free();
    else {
      const region = Region.create(random.between(1, random.chance(10) ? 20_000 : 900), { arena });
      region.bytes.fill(step % 256);
      living.push(region);
    }
    if (step % 50 === 0) expectCovered(arena);
  }
  for (const region of living) {
    const [first] = region.bytes;
    expect(region.bytes.every((byte) => byte === first)).toBe(true);
    region.free();
  }
  expectCovered(arena);
  session.done(steps);
});

function expectCovered(arena: Arena): void {
  const { blocks, used } = arena.inspect();
  let end = blocks[0]?.address ?? 0;
  for (const { address, bytes } of blocks) {
    expect(address).toBe(end);
    end = address + bytes;
  }
  expect(end).toBe(used);
}

test('the memory of a closed semaphore is not reused until its waiter has read its verdict', async () => {
  const arena = smallArena();
  const sem = Semaphore.create(0, { arena });
  const { address } = sem.handle;
  const wait = sem.acquireAsync().catch((error: unknown) => error);
  sem.close();
  sem.free();
  expect(Semaphore.create(1, { arena }).handle.address).not.toBe(address);
  expect(kinds(arena).filter(([kind]) => kind === 'free')).toEqual([['free', LINE]]);
  await wait;
  expect(Region.create(1, { arena }).handle.address).not.toBe(address);
  expect(Array.from({ length: 4 }, () => Semaphore.create(1, { arena }).handle.address)).toContain(address);
});

test('from() of a freed primitive’s handle throws when its address lies within another block', () => {
  const arena = smallArena();
  const pair = [Region.create(LINE, { arena }), Region.create(LINE, { arena })];
  const stale = pair[1]?.handle;
  for (const region of pair) region.free();
  const region = Region.create(3 * LINE, { arena });
  if (stale === undefined) throw new Error('no handle');
  expect(region.handle.address).toBe(pair[0]?.handle.address);
  // Write its tag and its kind, as in a header.
  new Int32Array(region.bytes.buffer, stale.address, 2).set([stale.tag, 3]);
  expect(isStart(contextOf(arena).words, stale.address)).toBe(false);
  expect(() => Region.from(stale)).toThrow(HandleError);
});

test('tags that wrap skip those of living primitives, and a handle with a tag of the previous era is refused', () => {
  const arena = smallArena();
  const { words } = contextOf(arena);
  const old = Semaphore.create(1, { arena, name: 'old' });
  old.acquire();
  const freed = Semaphore.create(1, { arena });
  freed.free();
  words.store64(HEADER_TAGS, 2n ** 31n - 2n);
  const made = Array.from({ length: 4 }, () => Semaphore.create(1, { arena }));
  expect(old.handle.tag).toBe(1);
  // The last tag of the old era, then tags 2, 3 and 4 of the new era.
  expect(made.map(({ handle }) => handle.tag)).toEqual([2 ** 31 - 1, 2 ** 31 + 2, 2 ** 31 + 3, 2 ** 31 + 4]);
  for (const sem of made) expect([sem.inspect().holders, Semaphore.from(sem.handle).tryAcquire()]).toEqual([[], true]);
  expect(old.inspect().holders).toMatchObject([{ permits: 1 }]);
  expect(made[1]?.handle.tag).toBe(2 ** 31 + freed.handle.tag);
  const again = made.find(({ handle }) => handle.address === freed.handle.address);
  expect(again).toBeDefined();
  expect(() => Semaphore.from(freed.handle)).toThrow(HandleError);
  expect(() => freed.acquire()).toThrow(MisuseError);
});
