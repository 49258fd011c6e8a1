import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { expect, test } from 'vitest';
import { Arena } from '../../core/src/index.ts';
import { openPrimitive } from '../../core/src/primitive/block.ts';
import { Mutex } from '../src/index.ts';
import { MUTEX } from '../src/kinds.ts';

// A number that V8 stores as a double slows an uncontended `lock` down by about 6 %, and no other test would fail.

setFlagsFromString('--allow-natives-syntax');
/** Compiled again for each call, because V8 remembers the kind of an array literal by its place in the code. */
function isSmall(value: number): boolean {
  const test = runInThisContext('(value) => %HasSmiElements([value])') as (value: number) => boolean;
  return test(value);
}

test('the numbers that an uncontended lock() reads are small integers, even after leave()', () => {
  const arena = Arena.create({ maxPages: 8 });
  const { context, address, tag } = openPrimitive(Mutex.create({ arena }).handle, MUTEX);
  const lineState = context.lineState(address, tag, { recorded: false });
  const numbers = {
    address,
    tag,
    block: lineState.block,
    known: lineState.tag,
    id: context.id,
    agent: context.agent,
  };
  for (const [name, value] of Object.entries(numbers)) expect([name, isSmall(value)]).toEqual([name, true]);
  arena.leave();
  expect([isSmall(lineState.tag), lineState.tag === tag]).toEqual([true, false]);
});
