// Scenarios of one slot. The pool withdraws its task while workers take entries from the buffer. The next task gets the
// slot.
//
// The buffer is a list of entries with a lock for the workers. This is all that the pool needs of a bounded buffer,
// which has models of its own.

import type { Context, Scenario, Words } from '@sluice/model';
import type { Core } from '../../../core/test/model/world.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import type { WakeMessage } from '../../src/shared/wake-message.ts';
import type { PoolEventCount } from '../../src/shared/event-count.ts';
import type { Leadership } from '../../src/shared/leadership.ts';
import type { Claims } from '../../src/shared/claims.ts';
import { MUTANTS } from './mutants.ts';

export interface PoolCore extends Core {
  readonly WakeMessage: typeof WakeMessage;
  readonly Claims: typeof Claims;
  readonly PoolEventCount: typeof PoolEventCount;
  readonly Leadership: typeof Leadership;
}

const WORD = 4;
/** Owner of the lock, entries taken out, entries put in, the claim, and whether the task was given up. */
const LOCK = 0;
const HEAD = 4;
const TAIL = 8;
const CLAIM = 12;
const STOPPED = 16;
/** Indexed by the place in the list. */
const ENTRY = 32;
/** Indexed by generation: how often the task ran, and whether it was withdrawn. */
const RUNS = 64;
const CANCELLED = 96;
const BYTES = 128;

const SLOT = 0;

export function claimCases({ Claims: Source }: PoolCore): readonly Case[] {
  const claimsOf = (words: Words): Claims => new Source(words, CLAIM);

  /** Puts one task after another into the slot. Withdraws each task except the last, which stays there. */
  const pool =
    (tasks: number) =>
    ({ words }: Context): void => {
      for (let generation = 1; generation <= tasks; generation++) {
        words.store32(STOPPED, 0);
        claimsOf(words).assign(SLOT, generation);
        const tail = words.load32(TAIL);
        words.store32(ENTRY + tail * WORD, generation);
        words.store32(TAIL, tail + 1);
        if (generation === tasks) return;
        if (!claimsOf(words).withdraw(SLOT, generation)) {
          // A worker has begun the task and keeps the slot.
          words.store32(STOPPED, 1);
          return;
        }
        words.store32(CANCELLED + generation * WORD, 1);
      }
    };

  /** Takes up to that many entries, one after another. */
  const worker =
    (entries: number, rivals: readonly number[]) =>
    (ctx: Context): void => {
      const { words } = ctx;
      for (let n = 0; n < entries; n++) {
        lock(ctx, rivals);
        const head = words.load32(HEAD);
        if (head === words.load32(TAIL)) {
          words.store32(LOCK, 0);
          return;
        }
        const generation = words.load32(ENTRY + head * WORD);
        const isToRun = claimsOf(words).take(SLOT, generation);
        ctx.step('before the entry is removed');
        words.store32(HEAD, head + 1);
        words.store32(LOCK, 0);
        if (isToRun && words.load32(STOPPED) === 0) {
          ctx.assert(words.load32(CANCELLED + generation * WORD) === 0, 'a withdrawn task runs');
          words.add32(RUNS + generation * WORD, 1);
        }
      }
    };

  /** The next worker takes over the lock of a dead worker, as recovery does. */
  const lock = (ctx: Context, rivals: readonly number[]): void => {
    const { words, index } = ctx;
    for (;;) {
      const owner = words.cas32(LOCK, 0, index + 1);
      if (owner === 0) return;
      const [rival] = rivals.filter((one) => one + 1 === owner);
      if (rival !== undefined && ctx.dead(rival) && words.cas32(LOCK, owner, index + 1) === owner) return;
      ctx.until(() => words.load32(LOCK) !== owner || (rival !== undefined && ctx.dead(rival)));
    }
  };

  /** Lets one more worker, alone, take the remaining entries. */
  const takeRest = (words: Words): Map<number, number> => {
    const runs = new Map<number, number>();
    const tail = words.load32(TAIL);
    for (let generation = 1; generation <= tail; generation++)
      runs.set(generation, words.load32(RUNS + generation * WORD));
    for (let head = words.load32(HEAD); head < tail; head++) {
      const generation = words.load32(ENTRY + head * WORD);
      if (claimsOf(words).take(SLOT, generation) && words.load32(STOPPED) === 0)
        runs.set(generation, (runs.get(generation) ?? 0) + 1);
    }
    return runs;
  };

  const right = (words: Words): string | undefined => {
    const runs = takeRest(words);
    const last = words.load32(TAIL);
    for (const [generation, times] of runs) {
      const isOut = words.load32(CANCELLED + generation * WORD) === 1;
      if (isOut && times > 0) return `task ${generation} was withdrawn and ran ${times} times`;
      if (times > 1) return `task ${generation} ran ${times} times`;
      if (generation === last && words.load32(STOPPED) === 0 && times === 0)
        return `task ${generation} is in the slot and never ran`;
    }
    return undefined;
  };

  const scenario = (
    name: string,
    bodies: readonly ((ctx: Context) => void)[],
    mayCrash?: readonly number[],
  ): Scenario => ({
    name,
    bytes: BYTES,
    agents: bodies.map((body, n) => ({ name: n === 0 ? 'pool' : `worker ${n}`, body })),
    final: right,
    ...(mayCrash === undefined ? {} : { mayCrash, deaths: 1 }),
  });

  return [
    { scenario: scenario('the pool withdraws one task while one worker takes', [pool(2), worker(2, [])]), options: {} },
    {
      scenario: scenario('the pool withdraws two tasks while two workers take', [
        pool(3),
        worker(2, [2]),
        worker(2, [1]),
      ]),
      options: {},
    },
    { scenario: scenario('a worker dies while it takes', [pool(2), worker(2, [2]), worker(2, [1])], [1]), options: {} },
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'claims', entry: new URL('entry.ts', import.meta.url), cases: claimCases, mutants: MUTANTS },
];
