import { afterEach, expect, test, vi } from 'vitest';
import type * as Core from '../src/index.ts';
import { withoutAges } from './support/without-ages.ts';

/** Loads a copy of the package that has not checked the platform yet. */
async function freshCopy(): Promise<typeof Core> {
  vi.resetModules();
  return import('../src/index.ts');
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

function forbidBlocking(): void {
  vi.spyOn(Atomics, 'wait').mockImplementation(() => {
    throw new TypeError('Atomics.wait cannot be called in this context');
  });
}

test('on a thread that must not block, blocking calls throw a MisuseError that names the async form, and change nothing', async () => {
  forbidBlocking();
  const { Arena, Semaphore } = await freshCopy();
  const sem = Semaphore.create(1, { arena: Arena.create({ maxPages: 2 }) });
  sem.drain();
  const before = sem.inspect();
  const calls = [
    () => sem.acquire(),
    () => sem.tryAcquire(1, 5),
    () => sem.hold(),
    () => sem.run(() => 0),
    () => sem.asLock().lock(),
  ];
  for (const call of calls) {
    expect(call).toThrow('acquireAsync');
    expect(call).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
  }
  expect(withoutAges(sem.inspect())).toEqual(withoutAges(before));
});

test('on a thread that must not block, acquire() throws even if a permit is free', async () => {
  forbidBlocking();
  const { Arena, Semaphore } = await freshCopy();
  const sem = Semaphore.create(1, { arena: Arena.create({ maxPages: 2 }) });
  expect(() => sem.acquire()).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
  expect(sem.available).toBe(1);
});

test('on a thread that must not block, all calls that do not block work', async () => {
  forbidBlocking();
  const { Arena, Semaphore } = await freshCopy();
  const sem = Semaphore.create(2, { arena: Arena.create({ maxPages: 2 }) });
  expect([sem.tryAcquire(), sem.drain()]).toEqual([true, 1]);
  const wait = sem.acquireAsync();
  sem.release(2);
  await wait;
  expect(sem.tryHold()?.held).toBe(true);
});

test('without SharedArrayBuffer the package loads, and the first use names both headers', async () => {
  vi.stubGlobal('SharedArrayBuffer', undefined);
  const { Arena, Semaphore, Region } = await freshCopy();
  const headers = /Cross-Origin-Opener-Policy: same-origin[^]*Cross-Origin-Embedder-Policy: require-corp/;
  for (const use of [() => Arena.create(), () => Arena.default(), () => Semaphore.create(1), () => Region.create(8)]) {
    expect(use).toThrow(headers);
    expect(use).toThrow(expect.objectContaining({ code: 'SLUICE_MISUSE' }) as Error);
  }
});

function refuseToCompile(): void {
  vi.spyOn(WebAssembly, 'Module').mockImplementation(function refuse() {
    throw new WebAssembly.CompileError('refused by a policy');
  });
}

test('where WebAssembly is refused, every way to an arena throws a MisuseError that names jsEngine', async () => {
  const elsewhere = await freshCopy();
  const { handle } = elsewhere.Semaphore.create(1, { arena: elsewhere.Arena.create({ maxPages: 2 }) });
  const { Arena, Semaphore } = await freshCopy();
  refuseToCompile();
  const withoutModule = { ...handle, modules: undefined };
  for (const open of [
    () => Arena.create({ maxPages: 2 }),
    () => Arena.default(),
    () => Semaphore.create(1),
    () => Semaphore.from(withoutModule),
  ]) {
    expect(open).toThrow("import { jsEngine } from 'sluice/js', then Arena.create({ engine: jsEngine })");
    expect(open).toThrow('refused by a policy');
    expect(open).toThrow(
      expect.objectContaining({ code: 'SLUICE_MISUSE', cause: expect.any(WebAssembly.CompileError) as Error }) as Error,
    );
  }
});

test('where WebAssembly is refused, an arena with jsEngine works', async () => {
  const { Arena, Semaphore } = await freshCopy();
  const { jsEngine } = await import('../src/js.ts');
  refuseToCompile();
  const arena = Arena.create({ maxPages: 2, engine: jsEngine });
  expect([arena.engine, arena.handle.modules]).toEqual(['js', undefined]);
  expect(Semaphore.create(3, { arena }).drain()).toBe(3);
});

test('two copies of the package work on one semaphore', async () => {
  const [one, other] = [await freshCopy(), await freshCopy()];
  const sem = one.Semaphore.create(1, { arena: one.Arena.create({ maxPages: 2 }) });
  const twin = other.Semaphore.from(sem.handle);
  expect(twin).not.toBeInstanceOf(one.Semaphore);
  sem.acquire();
  const wait = twin.acquireAsync();
  expect([sem.waiting, twin.waiting]).toEqual([1, 1]);
  sem.release();
  await wait;
  expect(sem.inspect().holders).toMatchObject([{ agent: 2, permits: 1, since: expect.any(Number) as number }]);
});

test('without Atomics.waitAsync the package loads, and the first use names the runtimes that have it, before the agent joins an arena', async () => {
  const { Arena } = await freshCopy();
  const arena = Arena.create({ maxPages: 2 });
  const { waitAsync } = Atomics;
  Reflect.deleteProperty(Atomics, 'waitAsync');
  try {
    const { Arena: Other } = await freshCopy();
    for (const use of [() => Other.create({ maxPages: 2 }), () => Other.from(arena.handle)]) {
      expect(use).toThrow(expect.objectContaining({ code: 'SLUICE_UNSUPPORTED' }) as Error);
      expect(use).toThrow('Firefox 145');
    }
  } finally {
    Object.defineProperty(Atomics, 'waitAsync', { value: waitAsync, writable: true, configurable: true });
  }
  expect(arena.inspect().agents).toHaveLength(1);
});
