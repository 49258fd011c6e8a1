// Tests the table of an agent, which has the steps of all packages that the agent has loaded.

import { expect, test } from 'vitest';
import { contextOf } from '../src/arena/arena.ts';
import { Arena, MisuseError, Semaphore } from '../src/index.ts';
import { KERNEL_ID, KERNEL_TEXT } from '../src/kernel/wasm.generated.ts';

test("a package whose step has the name of another package's step is not loaded, and the arena still works", () => {
  const arena = Arena.create({ maxPages: 2 });
  const context = contextOf(arena);
  const { acquire } = context.kernel;
  const doubled = { entry: '@toys/doubled', id: KERNEL_ID, text: KERNEL_TEXT, uncontended: [] };

  for (const attempt of [1, 2]) {
    expect(() => context.addKernel(doubled), `attempt ${attempt}`).toThrow(MisuseError);
  }

  expect(() => context.addKernel(doubled)).toThrow(
    /^@toys\/doubled cannot be loaded: another package has a step named \w+\. Nothing was changed\.$/,
  );
  expect(context.kernel.acquire).toBe(acquire);
  const semaphore = Semaphore.create(1, { arena });
  expect(semaphore.tryAcquire()).toBe(true);
});
