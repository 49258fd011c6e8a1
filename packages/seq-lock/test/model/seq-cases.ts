// Scenarios of the seq-lock. Each is small enough to be explored completely, or completely within a bound on
// preemptions.

import type { Options, Words } from '@sluice/model';
import { HEALTH } from '../../../core/src/kernel/layout.ts';
import { CONSISTENT } from '../../../core/src/kernel/states.ts';
import { reclaim } from '../../../core/test/model/office-bodies.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { MUTEX } from '../../../mutex/test/model/mutex-world.ts';
import {
  copyAt,
  ENDED,
  isWhole,
  LONG,
  SEQUENCE_AT,
  seqCase,
  TAG_AT,
  type SeqActor,
  type SeqBody,
  type SeqCore,
  type SeqPlan,
} from './seq-world.ts';
import { DEATH_MUTANTS, MUTANTS } from './mutants.ts';

const ALL: Options = {};
const NO_PREEMPTION: Options = { preemptions: 0 };
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const THREE_PREEMPTIONS: Options = { preemptions: 3 };

/** Returns the first and the last word of a value. */
const endsOf = (value: Int32Array): readonly [number, number] => [value.at(0) ?? 0, value.at(-1) ?? 0];

/** Writes the next number, as `update` does. The caller owns the mutex. */
function writeOnce({ ctx, sequence, length }: SeqActor): number {
  const value = new Int32Array(length);
  sequence.load(value);
  const [first, last] = endsOf(value);
  ctx.assert(isWhole(first, last), `a writer found ${first} and ${last}`);
  const next = first + 1;
  value.fill(next);
  value[length - 1] = ~next;
  sequence.replace(value);
  return next;
}

const write =
  (times = 1): SeqBody =>
  (actor) => {
    const { ctx, writers } = actor;
    for (let round = 0; round < times; round++) {
      writers.lock();
      const number = writeOnce(actor);
      ctx.words.store32(ENDED, number);
      writers.unlock();
      ctx.forget(round);
    }
  };

function check({ ctx }: SeqActor, value: Int32Array, least: number): void {
  const [first, last] = endsOf(value);
  ctx.assert(isWhole(first, last), `a reader got ${first} and ${last}`);
  ctx.assert(first >= least, `a reader got write ${first} after write ${least} had ended`);
}

/** Makes reads that try once. */
const tryRead =
  (times = 1): SeqBody =>
  (actor) => {
    const { ctx, sequence } = actor;
    for (let round = 0; round < times; round++) {
      const value = new Int32Array(actor.length);
      const least = ctx.words.load32(ENDED);
      if (sequence.tryLoad(value) >= 0) check(actor, value, least);
      ctx.forget(round);
    }
  };

/** Reads: tries once, and then waits for the mutex. */
const read: SeqBody = (actor) => {
  const { ctx, sequence, writers } = actor;
  const value = new Int32Array(actor.length);
  const least = ctx.words.load32(ENDED);
  if (sequence.tryLoad(value) < 0) {
    writers.lock();
    sequence.load(value);
    writers.unlock();
  }
  check(actor, value, least);
};

/** Reads while at most one write happens, so the read must not fail. */
const readSurely: SeqBody = (actor) => {
  const value = new Int32Array(actor.length);
  actor.ctx.assert(actor.sequence.tryLoad(value) >= 0, 'one write made a read fail');
  check(actor, value, 0);
};

/** Refreshes a snapshot repeatedly. `mayRepeat`: a jump changes the version and not the value. */
const refresh =
  (times = 1, mayRepeat = false): SeqBody =>
  (actor) => {
    const { ctx, sequence, writers, SeqSnapshot } = actor;
    const snapshot = new SeqSnapshot(sequence, writers, 4 * actor.length);
    check(actor, snapshot.int32, 0);
    for (let round = 0; round < times; round++) {
      const [before = 0] = snapshot.int32;
      const least = ctx.words.load32(ENDED);
      const isChanged = snapshot.refresh();
      check(actor, snapshot.int32, least);
      ctx.assert(
        isChanged === (snapshot.int32[0] !== before) || (isChanged && mayRepeat),
        `refresh() returned ${isChanged} for ${snapshot.int32[0]} after ${before}`,
      );
    }
  };

/**
 * Makes reads that try once, by one object. It keeps the value after two reads of the same version, so the third read
 * is the first that may use it.
 */
const readKept =
  (times = 1): SeqBody =>
  (actor) => {
    const { ctx, sequence, KeptValue } = actor;
    const kept = new KeptValue(sequence);
    for (let round = 0; round < times; round++) {
      const value = new Int32Array(actor.length);
      const least = ctx.words.load32(ENDED);
      if (kept.tryLoad(value) >= 0) check(actor, value, least);
    }
  };

/** Checks that a value which is kept is not read after its block was freed. */
const readKeptWhileFreed: SeqBody = (actor) => {
  const { ctx, sequence, KeptValue } = actor;
  const kept = new KeptValue(sequence);
  for (let round = 0; round < 3; round++) {
    const isFreed = ctx.words.load32(TAG_AT) === 0;
    const version = kept.tryLoad(new Int32Array(actor.length));
    ctx.assert(!isFreed || version < 0, 'a value of a freed block was read');
  }
};

/** Checks that after the block is freed, no version is the newest. */
const lookWhileFreed: SeqBody = ({ ctx, sequence }) => {
  const { version, era } = sequence;
  const isFreed = ctx.words.load32(TAG_AT) === 0;
  ctx.assert(!sequence.isNewest(version, era) || !isFreed, 'a version of a freed block is the newest');
};

/** Jumps as if very many writes had happened, after which the same copy is whole. */
function jump({ ctx }: SeqActor, sequence: number): void {
  ctx.assert(
    copyAt(ctx.words.get32(SEQUENCE_AT)) === copyAt(sequence),
    'the test jumps to a sequence with the other copy',
  );
  ctx.words.store32(SEQUENCE_AT, sequence);
}

/** Jumps by 2^31 writes, from sequence -2 to the next -2. */
const goRound: SeqBody = (actor) => {
  const { ctx, writers } = actor;
  writers.lock();
  ctx.words.store32(ENDED, writeOnce(actor));
  jump(actor, 2 ** 31 - 4);
  writeOnce(actor);
  writeOnce(actor);
  jump(actor, -4);
  writeOnce(actor);
  writers.unlock();
};

/** The same from sequence 4 to the next 4. The first write does not change ERA. */
const goRoundLater: SeqBody = (actor) => {
  const { ctx, writers } = actor;
  writers.lock();
  ctx.words.store32(ENDED, writeOnce(actor));
  jump(actor, 2 ** 31 - 2);
  writeOnce(actor);
  jump(actor, -4);
  writeOnce(actor);
  writeOnce(actor);
  jump(actor, 4);
  writers.unlock();
};

/** Frees the block. Another primitive then fills it. */
const free: SeqBody = ({ ctx, length }) => {
  ctx.words.store32(TAG_AT, 0);
  ctx.words.store32(copyAt(0), 77);
  ctx.words.store32(copyAt(0) + 4 * length - 4, 78);
};

/** Checks that `times` writes have ended and the mutex has no notice. */
const ended =
  (times: number) =>
  (words: Words): string | undefined => {
    if (words.load32(MUTEX + HEALTH) !== CONSISTENT) return 'the mutex is not consistent';
    return words.load32(ENDED) === times ? undefined : `write ${words.load32(ENDED)} was the last of ${times}`;
  };

export function seqCases(core: SeqCore): Case[] {
  const make = (name: string, bodies: readonly SeqBody[], options: Options, plan: SeqPlan = {}): Case =>
    seqCase(core, name, bodies, options, plan);
  return [
    make('a write and a read', [write(), read], ALL, { final: ended(1) }),
    make('a write does not make a read fail', [write(), readSurely], ALL, { final: ended(1) }),
    make('three writes and two attempts', [write(3), tryRead(2)], ALL, { final: ended(3) }),
    make('three writes and a read', [write(3), read], TWO_PREEMPTIONS, { final: ended(3) }),
    make('two writers', [write(2), write(2)], TWO_PREEMPTIONS, { final: ended(4) }),
    make('two writers and a reader', [write(), write(), tryRead()], TWO_PREEMPTIONS, { final: ended(2) }),
    make('two writers and a read', [write(2), write(), read], TWO_PREEMPTIONS, { final: ended(3) }),
    make('two readers', [write(2), tryRead(), read], TWO_PREEMPTIONS, { final: ended(2) }),
    ...[-4, -2, 2 ** 31 - 4, 2 ** 31 - 2].map((from) =>
      make(`the sequence from ${from}`, [write(2), tryRead(2)], ALL, { from, final: ended(2) }),
    ),
    make('the sequence wraps during an attempt', [goRound, tryRead()], THREE_PREEMPTIONS, { from: -2 }),
    make('the block is freed during an attempt', [free, tryRead()], ALL),
    make('a write and a snapshot', [write(), refresh()], ALL, { final: ended(1) }),
    make('two writes and a snapshot', [write(2), refresh(2)], TWO_PREEMPTIONS, { final: ended(2) }),
    make('two writers and a snapshot', [write(), write(), refresh()], ONE_PREEMPTION, { final: ended(2) }),
    make('the sequence wraps between two checks of a snapshot', [goRound, refresh(2, true)], TWO_PREEMPTIONS, {
      from: -2,
    }),
    make('the sequence wraps during a check of a snapshot', [goRoundLater, refresh(1, true)], THREE_PREEMPTIONS, {
      from: 4,
    }),
    make('the block is freed before a check', [free, lookWhileFreed], ALL),
    make('two writes and reads that keep the value', [write(2), readKept(4)], TWO_PREEMPTIONS, { final: ended(2) }),
    make('a write and reads that keep the value', [write(), readKept(5)], THREE_PREEMPTIONS, { final: ended(1) }),
    make('two writers and reads that keep the value', [write(), write(), readKept(4)], ONE_PREEMPTION, {
      final: ended(2),
    }),
    make('the sequence wraps between reads that keep the value', [goRound, readKept(4)], TWO_PREEMPTIONS, { from: -2 }),
    make('the sequence wraps during a read that keeps the value', [goRoundLater, readKept(4)], THREE_PREEMPTIONS, {
      from: 4,
    }),
    make('the block is freed before a value that is kept is read', [free, readKeptWhileFreed], ALL),
    make('a long value: a write and reads that keep the value', [write(), readKept(4)], TWO_PREEMPTIONS, {
      length: LONG,
      final: ended(1),
    }),
    make('a long value: three writes and two attempts', [write(3), tryRead(2)], TWO_PREEMPTIONS, {
      length: LONG,
      final: ended(3),
    }),
    make('a long value: a write does not make a read fail', [write(), readSurely], TWO_PREEMPTIONS, {
      length: LONG,
      final: ended(1),
    }),
    make('a long value: two writers', [write(), write()], TWO_PREEMPTIONS, { length: LONG, final: ended(2) }),
    make('a long value: the sequence wraps during an attempt', [goRound, tryRead()], TWO_PREEMPTIONS, {
      length: LONG,
      from: -2,
    }),
    make('a long value: the block is freed during an attempt', [free, tryRead()], ALL, { length: LONG }),
    make('a long value: two writes and a snapshot', [write(2), refresh(2)], ONE_PREEMPTION, {
      length: LONG,
      final: ended(2),
    }),
  ];
}

/** Recovers agent 0 after its death, then writes. */
const writeAfter =
  (times: number): SeqBody =>
  (actor) => {
    reclaim(0)(actor);
    write(times)(actor);
  };

/** Checks that after a death, whatever happened before it, the mutex has no notice. */
const consistent = (words: Words): string | undefined =>
  words.load32(MUTEX + HEALTH) === CONSISTENT ? undefined : 'the mutex is not consistent';

export function seqDeathCases(core: SeqCore): Case[] {
  const make = (name: string, bodies: readonly SeqBody[], options: Options, plan: SeqPlan = {}): Case =>
    seqCase(core, name, bodies, options, { mayCrash: [0], ...plan });
  return [
    make('a writer may die', [write(), writeAfter(1)], TWO_PREEMPTIONS, { final: consistent }),
    make('a writer may die while others read', [write(2), writeAfter(2), tryRead()], ONE_PREEMPTION, {
      final: consistent,
    }),
    make(
      'a writer may die, and others read before its recovery',
      [
        write(2),
        (actor) => {
          actor.ctx.waitForDeath(0);
          tryRead(2)(actor);
        },
        reclaim(0),
      ],
      ONE_PREEMPTION,
    ),
    make('a writer may die while another agent has a snapshot', [write(), writeAfter(1), refresh(2)], ONE_PREEMPTION, {
      final: consistent,
    }),
    make(
      'a writer may die while another agent keeps the value',
      [write(), writeAfter(1), readKept(4)],
      ONE_PREEMPTION,
      {
        final: consistent,
      },
    ),
    make('a writer may die before it changes the era', [write(2), writeAfter(2), tryRead()], ONE_PREEMPTION, {
      from: -4,
      final: consistent,
    }),
    make(
      'a reader that waits for the mutex may die',
      [
        read,
        (actor) => {
          write(2)(actor);
          reclaim(0)(actor);
          write()(actor);
        },
      ],
      ONE_PREEMPTION,
      { final: consistent },
    ),
    make(
      'a writer and its successor may die',
      [
        write(),
        writeAfter(1),
        (actor) => {
          reclaim(0, 1)(actor);
          write()(actor);
        },
      ],
      NO_PREEMPTION,
      { mayCrash: [0, 1], deaths: 2, final: consistent },
    ),
  ];
}

const ENTRY = new URL('entry.ts', import.meta.url);

export const MODELS: readonly Model[] = [
  { name: 'seq-lock', entry: ENTRY, cases: seqCases, mutants: MUTANTS },
  { name: 'seq-lock death', entry: ENTRY, cases: seqDeathCases, mutants: DEATH_MUTANTS },
];
