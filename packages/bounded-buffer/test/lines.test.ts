// The lines in a buffer's block, as the core sees them without the kind.

import { Arena } from '@sluice/core';
import { BLOCK_KIND, BLOCK_LINE, BLOCK_TAG } from '@sluice/core/format';
import { expect, test } from 'vitest';
import { contextOf } from '../../core/src/arena/arena.ts';
import { blockOf, isLine } from '../../core/src/memory/blocks.ts';
import { ownedLines } from '../../core/src/report/holders-and-waiters.ts';
import { lineAt } from '../../core/src/recovery/pending.ts';
import { BoundedBuffer } from '../src/index.ts';
import { asBlock } from '../../core/src/kernel/addresses.ts';

test('the block has seven lines, and the ring is not taken for one, whatever its values', () => {
  const arena = Arena.create({ maxPages: 8 });
  const { words } = contextOf(arena);
  const buffer = BoundedBuffer.create({ arena, codec: 'int32', capacity: 128 });
  const { address, tag } = buffer.handle;
  // Each value equals the tag of a primitive.
  buffer.pushMany(Array.from({ length: 128 }, () => tag));
  const lines = Array.from({ length: 11 }, (_, index) => address + index * BLOCK_LINE);
  expect(lines.map((line) => words.load32(line + BLOCK_TAG) !== 0)).toEqual(lines.map(() => true));
  expect(lines.map((line) => isLine(words, line))).toEqual(lines.map((_, index) => index < 7));
  expect(lines.map((line) => blockOf(words, line))).toEqual(lines.map(() => address));
  expect(lineAt(words, address + 7 * BLOCK_LINE, tag)).toBe(0);
  expect(lineAt(words, address + 6 * BLOCK_LINE, words.load32(address + 6 * BLOCK_LINE + BLOCK_TAG))).not.toBe(0);
});

test('only the locks of the two sides name an owner and have a kind of their own', () => {
  const arena = Arena.create({ maxPages: 8 });
  const { words } = contextOf(arena);
  const { address } = BoundedBuffer.create({ arena }).handle;
  expect(ownedLines(words, asBlock(address))).toEqual([address + BLOCK_LINE, address + 2 * BLOCK_LINE]);
  const own = [1, 2, 3, 4, 5, 6].filter((line) => words.load32(address + line * BLOCK_LINE + BLOCK_KIND) !== 0);
  expect(own).toEqual([1, 2]);
});
