import { expect, test } from 'vitest';
import { Arena, HandleError, MisuseError, Semaphore } from '../src/index.ts';

const arena = Arena.create({ maxPages: 16, policy: { buckets: 8 } });

test('the next semaphore reuses the memory of a freed one, and the old instance cannot access it', () => {
  const old = Semaphore.create(1, { arena });
  const { address } = old.handle;
  old.free();
  const next = Semaphore.create(7, { arena });
  expect(next.handle.address).toBe(address);
  expect(() => old.acquire()).toThrow(MisuseError);
  expect(() => old.release()).toThrow(MisuseError);
  expect(() => old.close()).toThrow(MisuseError);
  expect(() => old.free()).toThrow(MisuseError);
  expect(() => Semaphore.from(old.handle)).toThrow(HandleError);
  expect([next.available, next.name, next.inspect().holders]).toEqual([7, '', []]);
});

test('free() frees every instance of the semaphore', () => {
  const sem = Semaphore.create(1, { arena });
  const twin = Semaphore.from(sem.handle);
  twin.free();
  expect(() => sem.acquire()).toThrow(MisuseError);
});

test('free() succeeds while agents hold permits, and afterwards no agent holds them', () => {
  const sem = Semaphore.create(2, { arena });
  sem.acquire(2);
  sem.free();
  expect(Semaphore.create(2, { arena }).inspect().holders).toEqual([]);
});

test('release() of a guard of a freed semaphore throws', () => {
  const sem = Semaphore.create(1, { arena });
  const guard = sem.hold();
  sem.free();
  expect(() => guard.release()).toThrow(MisuseError);
});

test('from() of a handle of a closed semaphore still opens it', () => {
  const sem = Semaphore.create(1, { arena, name: 'shut' });
  sem.close();
  const twin = Semaphore.from(sem.handle);
  expect(twin.inspect()).toMatchObject({ name: 'shut', state: 'closed' });
  twin.free();
});

test('free() collects the elements that cancelled waiters left behind', async () => {
  const sem = Semaphore.create(0, { arena });
  const first = sem.acquireAsync();
  const controller = new AbortController();
  const leavers = [1, 3, 2].map((permits) =>
    sem.acquireAsync(permits, { signal: controller.signal }).catch(() => 'left'),
  );
  const last = sem.acquireAsync().catch(() => 'closed');
  controller.abort();
  expect(await Promise.all(leavers)).toEqual(['left', 'left', 'left']);
  expect(sem.inspect().abandoned).toBe(3);
  sem.release();
  await first;
  sem.close();
  expect(await last).toBe('closed');
  sem.free();
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
});

test('ten thousand semaphores in sequence take no more memory than the first few', () => {
  const used = (): number => arena.inspect().used;
  for (let round = 0; round < 20; round++) Semaphore.create(1, { arena, name: `${round}` }).free();
  const before = used();
  for (let round = 0; round < 10_000; round++) {
    const sem = Semaphore.create(1, { arena });
    sem.acquire();
    sem.free();
  }
  expect(used()).toBe(before);
});

test('thousands of cancelled waits take no more memory than the first few', async () => {
  const sem = Semaphore.create(0, { arena });
  const giveUp = async (count: number): Promise<void> => {
    const controller = new AbortController();
    const waits = Array.from({ length: count }, () =>
      sem.acquireAsync(1, { signal: controller.signal }).catch(() => undefined),
    );
    controller.abort();
    await Promise.all(waits);
  };
  await giveUp(8);
  const { used } = arena.inspect();
  for (let round = 0; round < 500; round++) await giveUp(8);
  expect(arena.inspect().used).toBe(used);
  expect(arena.inspect().elements).toMatchObject({ waiting: 0, abandoned: 0 });
});
