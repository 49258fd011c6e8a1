// Tests the compiled kernel in a handle. The receiving thread uses it instead of compiling, but only if it is of the
// same build.

import { afterEach, expect, test, vi } from 'vitest';
import { Worker } from 'node:worker_threads';
import type * as Core from '../src/index.ts';
import { KERNEL_ID, KERNEL_TEXT } from '../src/kernel/wasm.generated.ts';
import { unpack } from '../src/kernel/unpack-wasm.ts';

/** Loads a copy of the package that has compiled nothing yet, as in another thread. */
async function freshCopy(): Promise<typeof Core> {
  vi.resetModules();
  return import('../src/index.ts');
}

afterEach(() => void vi.restoreAllMocks());

/** Returns the number of kernels that `open` compiles. */
function compiledBy(open: () => unknown): number {
  const Module = WebAssembly.Module;
  let compiled = 0;
  vi.spyOn(WebAssembly, 'Module').mockImplementation(function compile(bytes) {
    compiled += 1;
    return new Module(bytes);
  });
  // Modules compiled before the spy are instances of the original class. The spy lacks the static functions of that
  // class.
  Object.defineProperty(WebAssembly.Module, Symbol.hasInstance, { value: (value: unknown) => value instanceof Module });
  WebAssembly.Module.customSections = (module, name) => Module.customSections(module, name);
  open();
  vi.restoreAllMocks();
  return compiled;
}

async function handles(): Promise<{ arena: Core.ArenaHandle; semaphore: Core.SemaphoreHandle }> {
  const { Arena, Semaphore } = await freshCopy();
  const arena = Arena.create({ maxPages: 2 });
  return structuredClone({ arena: arena.handle, semaphore: Semaphore.create(1, { arena }).handle });
}

test('from() of a handle of an arena or a primitive compiles nothing', async () => {
  const { arena, semaphore } = await handles();
  const [one, other] = [await freshCopy(), await freshCopy()];
  expect(compiledBy(() => one.Arena.from(arena))).toBe(0);
  expect(compiledBy(() => other.Semaphore.from(semaphore).acquire())).toBe(0);
});

test('from() compiles the kernel at most once per thread', async () => {
  const { Arena } = await freshCopy();
  expect(compiledBy(() => [1, 2, 3].map(() => Arena.create({ maxPages: 2 })))).toBe(1);
});

const { Module } = WebAssembly;
const empty = new Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));

test.each([
  ['none', undefined],
  ['null', null],
  ['the result of JSON.parse(JSON.stringify(module))', { [KERNEL_ID]: {} }],
  ['a module of another build', { '0123456789abcdef': empty }],
  ['a module that differs from its id', { [KERNEL_ID]: empty }],
  ['no object', 'modules'],
])('from() compiles the kernel when its handle carries %s', async (_, modules) => {
  const { semaphore } = await handles();
  const copy = await freshCopy();
  const given = { ...semaphore, modules } as Core.SemaphoreHandle;
  let sem: Core.Semaphore | undefined;
  expect(compiledBy(() => (sem = copy.Semaphore.from(given)))).toBe(1);
  sem?.acquire();
  expect(sem?.available).toBe(0);
});

/** A module with the kernel's custom section and one import that no agent provides: it cannot run here. */
function foreign(): WebAssembly.Module {
  const text = (name: string): number[] => [name.length, ...new TextEncoder().encode(name)];
  const section = (id: number, bytes: readonly number[]): number[] => [id, bytes.length, ...bytes];
  const wanted = section(2, [1, ...text('x'), ...text('y'), 3, 0x7f, 0]);
  return new Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, ...section(0, text(KERNEL_ID)), ...wanted]));
}

/** A module with the kernel's custom section and nothing else. */
function hollow(): WebAssembly.Module {
  return new Module(
    new Uint8Array([
      0,
      97,
      115,
      109,
      1,
      0,
      0,
      0,
      0,
      KERNEL_ID.length + 1,
      KERNEL_ID.length,
      ...new TextEncoder().encode(KERNEL_ID),
    ]),
  );
}

test.each([
  ['does not link', foreign],
  ['has no steps', hollow],
])(
  'from() ignores a module with the id of this build that %s, and so do later arenas of the thread',
  async (_, make) => {
    const { semaphore } = await handles();
    const copy = await freshCopy();
    const given = { ...semaphore, modules: { [KERNEL_ID]: make() } } as Core.SemaphoreHandle;
    const sem = copy.Semaphore.from(given);
    expect(sem.tryAcquire()).toBe(true);
    expect(copy.Semaphore.create(1, { arena: copy.Arena.create({ maxPages: 2 }) }).tryAcquire()).toBe(true);
  },
);

test('the handles of all primitives of an arena carry the same module, with the id of this build', async () => {
  const { Arena, Region, Semaphore } = await freshCopy();
  const arena = Arena.create({ maxPages: 2 });
  const all = [arena.handle, Semaphore.create(1, { arena }).handle, Region.create(8, { arena }).handle];
  const module = arena.handle.modules?.[KERNEL_ID];
  expect(module).toBeInstanceOf(Module);
  expect(all.map(({ modules }) => modules?.[KERNEL_ID])).toEqual([module, module, module]);
  expect(all.map(({ modules }) => modules?.[KERNEL_ID] === module)).toEqual([true, true, true]);
});

test('a worker receives a handle with its module', async () => {
  const { semaphore } = await handles();
  const code = `const { parentPort, workerData } = require('node:worker_threads');
    parentPort.postMessage(Object.values(workerData.modules).map((module) => WebAssembly.Module.exports(module).length));`;
  const worker = new Worker(code, { eval: true, workerData: semaphore });
  const [exports] = await new Promise<number[]>((resolve, reject) =>
    worker.once('message', resolve).once('error', reject),
  );
  expect(exports).toBe(Module.exports(new Module(unpack(KERNEL_TEXT))).length);
});
