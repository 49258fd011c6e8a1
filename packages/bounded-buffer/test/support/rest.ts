// The state of a buffer that no agent is using.

import { contextOf } from '../../../core/src/arena/arena.ts';
import { BLOCK_LINE, GRANT, OFFICE, TICKET } from '../../../core/src/kernel/layout.ts';
import { HAS_HEAD } from '../../src/kernel/layout.ts';
import { expect, onTestFinished } from 'vitest';
import type { BoundedBuffer } from '../../src/index.ts';

/** Runs after a test that passed. */
export function atEnd<T>(made: T, check: (made: T) => void): T {
  onTestFinished(({ task }) => {
    if (task.result?.state !== 'fail') check(made);
  });
  return made;
}

/** Both locks, and whether the line has a head. In a closed buffer this has no meaning. */
function linesOf<T>({ arena, closed, handle: { address } }: BoundedBuffer<T>): unknown {
  const { words } = contextOf(arena);
  return [1, 2].map((which) => {
    const side = address + which * BLOCK_LINE;
    const semaphore = side + 2 * BLOCK_LINE;
    const free = Number(words.load64(semaphore + GRANT) - words.load64(semaphore + TICKET));
    // A free permit goes to the next agent.
    return { lock: words.load64(side + OFFICE) & ~(1n << 32n), head: closed ? 0 : words.get32(side + HAS_HEAD) - free };
  });
}

export function expectQuiet<T>(buffer: BoundedBuffer<T>): void {
  const { arena } = buffer;
  const free = { lock: 0n, head: 0 };
  expect(linesOf(buffer)).toEqual([free, free]);
  expect(buffer.inspect()).toMatchObject({ producers: [], consumers: [] });
  const lineStates = arena.inspect().agents.flatMap(({ holds, waits }) => [...holds, ...waits]);
  expect(lineStates.filter(({ address }) => address === buffer.handle.address)).toEqual([]);
}
