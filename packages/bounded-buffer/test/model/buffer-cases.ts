// The scenarios that the buffer has to survive. Small on purpose: each is explored whole, or all of it within a bound
// on preemptions.

import { soakSize } from '@sluice/harness';
import type { Options, Words } from '@sluice/model';
import type { Case, Model } from '../../../core/test/model/case.ts';
import {
  both,
  close,
  drain,
  pop,
  popMany,
  popNow,
  push,
  pushMany,
  pushNow,
  tryPop,
  tryPush,
  untilClosed,
} from './buffer-bodies.ts';
import { unitsOf } from './buffer-places.ts';
import { BufferWorld, type BufferBody, type BufferCore, type More } from './buffer-world.ts';
import { MUTANTS } from './mutants.ts';

const ALL: Options = {};
const ONE: Options = { preemptions: 1 };
/** One more in the soak: that costs minutes. */
const NONE: Options = { preemptions: soakSize(0, 1) };
const FEW: Options = { preemptions: soakSize(1, 2) };

/** Just below where the low half of a position wraps, and where 64-bit counters do. */
const WRAPS = [2n ** 32n - 1n, 2n ** 63n - 1n];

export const maker =
  (core: BufferCore) =>
  (name: string, room: number, bodies: readonly BufferBody[], options: Options, more: More = {}): Case =>
    new BufferWorld(core, { agents: bodies.length, room, ...more }).case({ name, bodies, options, ...more });

type Make = ReturnType<typeof maker>;

/** An agent that was told the end missed nothing. */
export function nothingLeft(words: Words): string | undefined {
  const left = unitsOf(words, 1);
  return left === 0 ? undefined : `the end was told, and ${left} values are left`;
}

export function bufferCases(core: BufferCore): Case[] {
  const make = maker(core);
  const may = { mayWait: true };
  const closing = { closes: true };
  const drained = { ...closing, final: nothingLeft };
  return [
    make('room for 1, one and one', 1, [push(1, 1), pop(2)], FEW),
    make('room for 2, one and one', 2, [push(1, 1, 1), pop(3)], ONE),
    make('room for 1, two and one', 1, [push(1), push(1), pop(2)], ONE),
    make('room for 1, one and two', 1, [push(1, 1), pop(), pop()], NONE),
    make('room for 2, two and one', 2, [push(1, 1), push(1), pop(3)], NONE),
    make('room for 2, one and two', 2, [push(1, 1), pop(), pop()], ONE),
    make('room for 1, two and two', 1, [push(1), push(1), pop(), pop()], NONE),
    make('looks without waiting', 1, [pushNow(1, 1), popNow(2)], ALL),
    make('looks beside one that waits', 1, [push(1), pushNow(1), pop()], ONE, may),
    make('both may give up', 1, [tryPush(1, 1), tryPop(2)], ONE),
    make('a producer may give up', 1, [push(1), tryPush(1), pop()], ONE, may),
    make('a consumer may give up', 1, [push(1, 1), tryPop(), pop()], ONE, { ...may, turns: false }),
    make('all of three may give up', 1, [tryPush(1, 1), tryPush(1), tryPop(2)], NONE),
    make('of two consumers both may give up', 2, [push(1, 1), tryPop(), tryPop(), popNow()], NONE, may),
    make('two units beside one', 2, [push(2), push(1), pop(2)], NONE),
    make('a waiter for two units may give up', 2, [push(1), tryPush(2), push(1), pop(2)], NONE, may),
    make('many at once', 2, [pushMany(3), popMany(3)], ONE),
    make('many at once beside others', 2, [pushMany(2), push(1), popMany(2), pop()], NONE),
    ...WRAPS.map((start) => make(`positions from ${start}`, 2, [push(1, 2), pop(2)], ONE, { start })),
    make('close while consumers wait', 1, [close, untilClosed(pop()), untilClosed(pop())], ONE, closing),
    make('close while producers wait', 1, [close, untilClosed(push(1)), untilClosed(push(1))], ONE, closing),
    make('close beside a push', 1, [close, untilClosed(push(1)), drain], ONE, drained),
    make('close while a producer waits for room', 1, [close, untilClosed(push(1, 1)), drain], NONE, drained),
    make('close behind a push', 2, [both(push(1), close), drain, drain], NONE, drained),
    make('close twice', 1, [close, close, untilClosed(push(1)), drain], NONE, drained),
    make('values follow the line', 2, [pushMany(2), pop(), pop()], ONE),
    make('room follows the line', 2, [both(pushMany(2), popMany(2)), push(1), push(1)], NONE, may),
    make('two units from a single consumer', 2, [push(1, 2), pop(2)], FEW),
    make('the agent with the turn may give up', 2, [tryPush(1, 2), push(1), pop()], NONE, may),
    make(
      'close behind a push, and the line is served to its end',
      2,
      [both(pushMany(2), close), untilClosed(pop()), drain],
      ONE,
      drained,
    ),
    ...int32Cases(make),
    // Words that an agent should have for itself are watched, too.
    make('every word watched', 1, [push(1), pop()], { ...ONE, scheduleLocal: true }, { watched: false }),
  ];
}

/** Where one step puts a value in, and one takes it out. */
function int32Cases(make: Make): Case[] {
  const int32 = { isInt32: true };
  const drained = { ...int32, closes: true, final: nothingLeft };
  const watched = { ...int32, watched: false };
  return [
    make('int32, one and one', 1, [push(1, 1), pop(2)], FEW, int32),
    make('int32, room for 2, one and one', 2, [push(1, 1, 1), pop(3)], ONE, int32),
    make('int32, two and one', 1, [push(1), push(1), pop(2)], NONE, int32),
    make('int32, one and two', 1, [push(1, 1), pop(), pop()], NONE, int32),
    make('int32, room for 2, two and two', 2, [push(1), push(1), pop(), pop()], NONE, int32),
    make('int32, looks without waiting', 1, [pushNow(1, 1), popNow(2)], ALL, int32),
    make('int32, both may give up', 1, [tryPush(1, 1), tryPop(2)], ONE, int32),
    make('int32, beside many at once', 2, [pushMany(2), push(1), popMany(2), pop()], NONE, int32),
    make('int32, newcomers behind the line', 1, [push(1, 1), pop(), pop()], ONE, int32),
    make('int32, room from a single consumer', 1, [push(1, 1), pop()], FEW, int32),
    ...WRAPS.map((start) =>
      make(`int32, positions from ${start}`, 2, [push(1, 1, 1), pop(3)], ONE, { ...int32, start }),
    ),
    make('int32, close behind a push', 2, [both(push(1), close), drain, drain], NONE, drained),
    make('int32, close beside a push', 1, [close, untilClosed(push(1)), drain], ONE, drained),
    make('int32, a look at every word', 1, [pushNow(1, 1), popNow()], { preemptions: 2, scheduleLocal: true }, watched),
    make('int32, every word watched', 1, [push(1), pop()], { ...ONE, scheduleLocal: true }, watched),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'buffer', entry: new URL('entry.ts', import.meta.url), cases: bufferCases, mutants: MUTANTS },
];
