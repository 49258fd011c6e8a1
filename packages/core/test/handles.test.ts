import { expect, test } from 'vitest';
import { Arena, Region, Semaphore } from '../src/index.ts';

const arena = Arena.create({ maxPages: 8 });

function throughPort<T>(message: T): Promise<T> {
  const { port1, port2 } = new MessageChannel();
  return new Promise<T>((resolve) => {
    port2.onmessage = ({ data }: MessageEvent<T>) => resolve(data);
    port1.postMessage(message);
  }).finally(() => port1.close());
}

test('a handle is a frozen plain object that names its kind', () => {
  const sem = Semaphore.create(1, { arena });
  expect(sem.handle).toEqual({
    kind: 'sluice.semaphore',
    layout: arena.handle.layout,
    arena: arena.id,
    memory: arena.handle.memory,
    address: sem.handle.address,
    tag: sem.handle.tag,
    modules: arena.handle.modules,
  });
  for (const { handle } of [sem, arena, Region.create(8, { arena })]) {
    expect(Object.isFrozen(handle)).toBe(true);
    expect(Object.getPrototypeOf(handle)).toBe(Object.prototype);
  }
});

test('from() of a posted handle opens the same semaphore, although its memory object is another one', async () => {
  const sem = Semaphore.create(3, { arena, name: 'posted' });
  const { handle } = await throughPort({ handle: sem.handle });
  expect(handle.memory).not.toBe(sem.handle.memory);
  const twin = Semaphore.from(handle);
  twin.acquire(2);
  expect([sem.available, twin.name, twin.handle.memory]).toEqual([1, 'posted', sem.handle.memory]);
});

test('handles of regions and arenas can be posted too', async () => {
  const region = Region.create(8, { arena });
  region.int32[0] = 7;
  const posted = await throughPort({ region: region.handle, arena: arena.handle });
  expect(Region.from(posted.region).int32[0]).toBe(7);
  expect(Arena.from(posted.arena)).toBe(arena);
});

test('from() of an old handle throws after another semaphore has reused the block', () => {
  const old = Semaphore.create(1, { arena });
  const { handle } = old;
  old.free();
  const next = Semaphore.create(1, { arena });
  expect(next.handle.address).toBe(handle.address);
  expect(next.handle.tag).not.toBe(handle.tag);
  expect(() => Semaphore.from(handle)).toThrow('what it led to was freed');
});
