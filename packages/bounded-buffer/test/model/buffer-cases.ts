// Cases of the buffer. Each is small enough for a complete search, or for a complete search within a bound on
// preemptions.

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
const TWO: Options = { preemptions: 2 };
const THREE: Options = { preemptions: 3 };
/** One preemption more in the soak, which costs minutes. */
const NONE: Options = { preemptions: soakSize(0, 1) };
const FEW: Options = { preemptions: soakSize(1, 2) };

/** Values just below those at which the low half of a position, and 64-bit counters, wrap. */
const WRAPS = [2n ** 32n - 1n, 2n ** 63n - 1n];

export const maker =
  (core: BufferCore) =>
  (name: string, room: number, bodies: readonly BufferBody[], options: Options, more: More = {}): Case =>
    new BufferWorld(core, { agents: bodies.length, room, ...more }).case({ name, bodies, options, ...more });

type Make = ReturnType<typeof maker>;

/** Checks that no value was left when an agent saw the end. */
export function nothingLeft(words: Words): string | undefined {
  const left = unitsOf(words, 1);
  return left === 0 ? undefined : `the end was reported, but ${left} values are left`;
}

export function bufferCases(core: BufferCore): Case[] {
  const make = maker(core);
  const may = { mayWait: true };
  const closing = { closes: true };
  const drained = { ...closing, final: nothingLeft };
  return [
    make('room for 1: one producer, one consumer', 1, [push(1, 1), pop(2)], FEW),
    { ...make('room for 1: one producer, one consumer, deeper', 1, [push(1, 1), pop(2)], THREE), depth: 'full' },
    make('room for 1: one value', 1, [push(1), pop()], ALL),
    make('room for 2: one producer, one consumer', 2, [push(1, 1, 1), pop(3)], ONE),
    make('room for 1: two producers, one consumer', 1, [push(1), push(1), pop(2)], ONE),
    make('room for 1: one producer, two consumers', 1, [push(1, 1), pop(), pop()], NONE),
    make('room for 2: two producers, one consumer', 2, [push(1, 1), push(1), pop(3)], NONE),
    make('room for 2: one producer, two consumers', 2, [push(1, 1), pop(), pop()], ONE),
    make('room for 1: two producers, two consumers', 1, [push(1), push(1), pop(), pop()], NONE),
    {
      ...make('room for 2: two producers, two consumers', 2, [push(1), push(1), pop(), pop()], TWO),
      depth: 'full',
    },
    make('non-blocking calls race', 1, [pushNow(1, 1), popNow(2)], ALL),
    make('non-blocking calls race a waiter', 1, [push(1), pushNow(1), pop()], ONE, may),
    make('both producer and consumer may time out', 1, [tryPush(1, 1), tryPop(2)], ONE),
    make('a producer may time out', 1, [push(1), tryPush(1), pop()], ONE, may),
    make('a consumer may time out', 1, [push(1, 1), tryPop(), pop()], ONE, { ...may, inOrder: false }),
    make('three agents may time out', 1, [tryPush(1, 1), tryPush(1), tryPop(2)], NONE),
    make('two consumers may time out', 2, [push(1, 1), tryPop(), tryPop(), popNow()], NONE, may),
    make('a value of two units beside one of one unit', 2, [push(2), push(1), pop(2)], NONE),
    make('a waiter for two units may time out', 2, [push(1), tryPush(2), push(1), pop(2)], NONE, may),
    make('calls for many values race', 2, [pushMany(3), popMany(3)], ONE),
    make('calls for many values race single ones', 2, [pushMany(2), push(1), popMany(2), pop()], NONE),
    ...WRAPS.map((start) => make(`positions start at ${start}`, 2, [push(1, 2), pop(2)], ONE, { start })),
    make('close() while consumers wait', 1, [close, untilClosed(pop()), untilClosed(pop())], ONE, closing),
    make('close() while producers wait', 1, [close, untilClosed(push(1)), untilClosed(push(1))], ONE, closing),
    make('close() races a push', 1, [close, untilClosed(push(1)), drain], ONE, drained),
    make('close() while a producer waits for room', 1, [close, untilClosed(push(1, 1)), drain], NONE, drained),
    make('close() right after a push', 2, [both(push(1), close), drain, drain], NONE, drained),
    make('two calls of close()', 1, [close, close, untilClosed(push(1)), drain], NONE, drained),
    make('values go to waiters in queue order', 2, [pushMany(2), pop(), pop()], ONE),
    make('room goes to waiters in queue order', 2, [both(pushMany(2), popMany(2)), push(1), push(1)], NONE, may),
    make('a waiter needs two units from a single consumer', 2, [push(1, 2), pop(2)], FEW),
    make('the head of the line may time out', 2, [tryPush(1, 2), push(1), pop()], NONE, may),
    make(
      'close() right after two pushes serves the whole queue',
      2,
      [both(pushMany(2), close), untilClosed(pop()), drain],
      ONE,
      drained,
    ),
    ...int32Cases(make),
    // Every word is watched, even words that only one agent should use.
    make('every word watched', 1, [push(1), pop()], { ...ONE, scheduleLocal: true }, { watched: false }),
  ];
}

/** Cases in which one step pushes a value, and one step takes it. */
function int32Cases(make: Make): Case[] {
  const int32 = { isInt32: true };
  const drained = { ...int32, closes: true, final: nothingLeft };
  const watched = { ...int32, watched: false };
  return [
    make('int32: one producer, one consumer', 1, [push(1, 1), pop(2)], FEW, int32),
    make('int32, room for 2: one producer, one consumer', 2, [push(1, 1, 1), pop(3)], ONE, int32),
    make('int32: two producers, one consumer', 1, [push(1), push(1), pop(2)], NONE, int32),
    make('int32: one producer, two consumers', 1, [push(1, 1), pop(), pop()], NONE, int32),
    make('int32, room for 2: two producers, two consumers', 2, [push(1), push(1), pop(), pop()], NONE, int32),
    make('int32: non-blocking calls race', 1, [pushNow(1, 1), popNow(2)], ALL, int32),
    make('int32: both producer and consumer may time out', 1, [tryPush(1, 1), tryPop(2)], ONE, int32),
    make('int32: single calls race calls for many values', 2, [pushMany(2), push(1), popMany(2), pop()], NONE, int32),
    make('int32: newcomers arrive behind waiters', 1, [push(1, 1), pop(), pop()], ONE, int32),
    make('int32: room comes from a single consumer', 1, [push(1, 1), pop()], FEW, int32),
    ...WRAPS.map((start) =>
      make(`int32: positions start at ${start}`, 2, [push(1, 1, 1), pop(3)], ONE, { ...int32, start }),
    ),
    make('int32: close() right after a push', 2, [both(push(1), close), drain, drain], NONE, drained),
    make('int32: close() races a push', 1, [close, untilClosed(push(1)), drain], ONE, drained),
    make(
      'int32: non-blocking calls race, every word watched',
      1,
      [pushNow(1, 1), popNow()],
      { preemptions: 2, scheduleLocal: true },
      watched,
    ),
    make('int32: every word watched', 1, [push(1), pop()], { ...ONE, scheduleLocal: true }, watched),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'buffer', entry: new URL('entry.ts', import.meta.url), cases: bufferCases, mutants: MUTANTS },
];
