// from() of a handle while another agent frees the buffer: the lines may have no tags any more when from() reads them.

import { expect, test } from 'vitest';
import { Arena, hasCode } from '@sluice/core';
import { contextOf } from '../../core/src/arena/arena.ts';
import { BLOCK_LINE, BLOCK_TAG } from '../../core/src/kernel/layout.ts';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { BoundedBuffer } from '../src/index.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import './support/arena-kinds.ts';

const LINES = 7;

/** Returns the outcome of `from` when the buffer is freed, or its memory reused, just before `from` reads that tag. */
function fromWhile(line: number, again: boolean): unknown {
  const arena = Arena.create({ maxPages: 8, engine: engineNamed('js') });
  const make = (): BoundedBuffer<number> => BoundedBuffer.create({ arena, codec: 'int32', capacity: 2 });
  const buffer = make();
  const { handle } = buffer;
  const theirs = secondAgent(arena);
  const { words } = contextOf(theirs);
  const load32 = words.load32.bind(words);
  let done = false;
  words.load32 = (address) => {
    if (address === handle.address + line * BLOCK_LINE + BLOCK_TAG && !done) {
      done = true;
      buffer.free();
      if (again) expect(make().handle.address).toBe(handle.address);
    }
    return load32(address);
  };
  try {
    return openAs(theirs, handle, (opened) => BoundedBuffer.from(opened));
  } catch (failure) {
    return failure;
  } finally {
    expect(done).toBe(true);
  }
}

const READ = [1, 2, 3, 4, 5, 6].flatMap((line) => [false, true].map((again) => ({ line, again })));

test.each(READ)(
  'from() throws HandleError when the buffer is freed before it reads the tag of line $line (memory reused: $again)',
  ({ line, again }) => {
    expect(LINES).toBe(READ.length / 2 + 1);
    const ended = fromWhile(line, again);
    expect(hasCode(ended, 'SLUICE_HANDLE')).toBe(true);
  },
);
