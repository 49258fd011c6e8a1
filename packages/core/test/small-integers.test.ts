import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { expect, test } from 'vitest';
import { contextOf } from '../src/arena/arena.ts';
import { findPrimitive } from '../src/primitive/block.ts';
import { drawTag, handleTag, tagOf } from '../src/memory/tags.ts';
import { Arena, Semaphore } from '../src/index.ts';
import { HEADER_TAGS, KIND_SEMAPHORE } from '../src/kernel/layout.ts';

// A number that V8 stores as a double slows an uncontended path down by about 6 %, and no other test would notice.

setFlagsFromString('--allow-natives-syntax');
/** Compiled again for each call, because V8 remembers the kind of an array literal by its place in the code. */
function isSmall(value: number): boolean {
  const test = runInThisContext('(value) => %HasSmiElements([value])') as (value: number) => boolean;
  return test(value);
}

const SMALL = { maxPages: 8 } as const;

test('V8 distinguishes an integer that it stores as a double', () => {
  const rest = (count: number): number => count % 2 ** 31;
  expect([isSmall(1), isSmall(rest(1)), isSmall(1.5), isSmall(1)]).toEqual([true, false, false, true]);
});

test.each([0n, 2n ** 20n, 2n ** 31n - 3n, 2n ** 31n + 5n, 3n * 2n ** 31n])(
  'a drawn tag is a small integer after %i tags',
  (drawn) => {
    const { words } = contextOf(Arena.create(SMALL));
    words.store64(HEADER_TAGS, drawn);
    const { tag, era } = drawTag(words);
    expect([isSmall(tag), BigInt(era) * 2n ** 31n + BigInt(tag)]).toEqual([true, drawn + 1n]);
  },
);

test('the tag of a handle is a small integer, in any era', () => {
  const { words } = contextOf(Arena.create(SMALL));
  const tags = [handleTag(words, 0, 7), 7, 2 ** 31 - 1, 5 * 2 ** 31 + 7].map((tag) => tagOf({ tag }));
  expect(tags.map(isSmall)).toEqual(tags.map(() => true));
  expect(tags.slice(1)).toEqual([7, 2 ** 31 - 1, 7]);
});

test('the numbers that uncontended paths read are small integers, after create() and after from()', () => {
  const arena = Arena.create(SMALL);
  const sem = Semaphore.create(1, { arena });
  Semaphore.from(sem.handle);
  const { context, address, tag } = findPrimitive(sem.handle, 'sluice.semaphore', KIND_SEMAPHORE);
  const { block, entry, tag: known } = context.lineState(address, tag, { recorded: false });
  const numbers = { address, tag, block, entry, known, id: context.id, agent: context.agent };
  for (const [name, value] of Object.entries(numbers)) expect([name, isSmall(value)]).toEqual([name, true]);
});

test('the tag that an agent has after leave() is a small integer', () => {
  const arena = Arena.create(SMALL);
  const sem = Semaphore.create(1, { arena });
  const { context, address, tag } = findPrimitive(sem.handle, 'sluice.semaphore', KIND_SEMAPHORE);
  const lineState = context.lineState(address, tag, { recorded: false });
  arena.leave();
  expect([isSmall(lineState.tag), lineState.tag === tag]).toEqual([true, false]);
});
