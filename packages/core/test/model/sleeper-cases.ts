// Scenarios of the element that all async waits of an agent share. It sleeps at the bucket of the oldest wait, and
// moves when that wait ends.

import type { Options, Scenario, Words } from '@sluice/model';
import { BUCKET_SHIFT, BUCKETS, GATE } from '../../src/kernel/layout.ts';
import { IDLE, WOKEN } from '../../src/kernel/states.ts';
import type { AsyncCore } from './async-cases.ts';
import { AsyncLoop, ModelSignal } from './async-loop.ts';
import { elementAt, insideAt, TREASURE } from './places.ts';
import type { Case, Model } from './case.ts';
import { World, type Actor, type Body, type Setup } from './world.ts';
import { asBucket } from '../../src/kernel/addresses.ts';
import type { BucketAddress } from '../../src/kernel/addresses.ts';
import { SLEEPER_MUTANTS } from './sleeper-mutants.ts';

/** A condition: a word that becomes 1, and the bucket whose release wakes its waiters. */
interface Condition {
  readonly word: number;
  readonly bucket: BucketAddress;
}

const FIRST: Condition = { word: TREASURE, bucket: asBucket(BUCKETS) };
/** The second condition. Its word becomes 1 after the word of the first condition. */
const SECOND: Condition = { word: TREASURE + 4, bucket: asBucket(BUCKETS) };
/** Like the second condition, with another bucket. */
const ELSEWHERE: Condition = { word: TREASURE + 4, bucket: asBucket(BUCKETS + (1 << BUCKET_SHIFT)) };

interface Wait {
  readonly on: Condition;
  /** Whether an abort may come at any moment. */
  readonly mayEnd?: boolean;
  /** The wait begins when all other waits are over (`after`), or at any moment before that (`later`). */
  readonly begins?: 'after' | 'later';
}

/** Waits of one agent, in order of arrival. Only the oldest wait can be granted. */
const waits =
  (...all: readonly Wait[]): Body =>
  ({ core, ctx, context }: Actor) => {
    const { Sleeper } = core as unknown as AsyncCore;
    const loop = new AsyncLoop(ctx);
    const left: Wait[] = [];
    let over = 0;
    const settle = (): void => {
      for (let [oldest] = left; oldest !== undefined && context.words.load32(oldest.on.word) === 1; [oldest] = left)
        end(oldest);
    };
    const sleeper = new Sleeper(context, {
      bucket: () => left[0]?.on.bucket ?? 0,
      settle,
      fail: (failure) => ctx.assert(false, `a wait of the sleeper failed: ${String(failure)}`),
    });
    const begun = new Set<Wait>();
    const begin = (wait: Wait): void => {
      if (begun.has(wait)) return;
      begun.add(wait);
      left.push(wait);
      if (wait.mayEnd === true) loop.mayAbort(new ModelSignal()).addEventListener('abort', () => giveUp(wait));
      sleeper.begin();
    };
    const end = (wait: Wait): void => {
      left.splice(left.indexOf(wait), 1);
      over += 1;
      sleeper.look();
      if (left.length === 0) soon(() => all.forEach(begin));
    };
    const giveUp = (wait: Wait): void => {
      settle();
      ctx.words.put32(insideAt(ctx.index), 1);
      if (left.includes(wait)) end(wait);
      settle();
    };
    loop.run(
      () => {
        for (const wait of all) {
          if (wait.begins === undefined) begin(wait);
          else if (wait.begins === 'later')
            loop.mayAbort(new ModelSignal()).addEventListener('abort', () => begin(wait));
        }
      },
      () => over === all.length,
    );
  };

/** Runs `act` after all pending reactions, in the same turn of the event loop. */
function soon(act: () => void): void {
  let turn = Promise.resolve();
  for (let n = 0; n < 9; n++) turn = turn.then(() => undefined);
  void turn.then(act);
}

const post =
  (...conditions: readonly Condition[]): Body =>
  ({ context }) => {
    for (const { word, bucket } of conditions) {
      context.words.store32(word, 1);
      if (context.kernel.signalChain(context.agent, bucket, 0) !== IDLE) context.finishWalk();
    }
  };

const block =
  ({ word, bucket }: Condition): Body =>
  ({ core, context }: Actor) => {
    const { waitAtBucket, DEFAULT_POLICY } = core as unknown as AsyncCore;
    const spot = { context, bucket, policy: { ...DEFAULT_POLICY, spinMicros: 0 } };
    waitAtBucket(spot, () => context.words.load32(word) === 1, Infinity);
  };

export function sleeperCases(core: AsyncCore): Case[] {
  const setup: Omit<Setup, 'agents'> = { async: true, permits: [0], elements: 4, buckets: 2 };
  const final = (words: Words): string | undefined => {
    const woken = [0, 1, 2, 3].find((element) => words.load32(elementAt(element) + GATE) === WOKEN);
    return woken === undefined ? undefined : `the wake-up of element ${woken} was not received`;
  };
  const make = (name: string, bodies: readonly Body[], options: Options, more: Partial<Scenario> = {}): Case => {
    const world = new World(core, { ...setup, agents: bodies.length });
    return { scenario: world.scenario(name, bodies, undefined, { final, ...more }), options };
  };
  /** The condition of the first wait never holds. */
  const stuck = (words: Words): string | undefined =>
    words.load32(insideAt(0)) === 0 ? undefined : 'the first wait was aborted, and the sleeper did not move';
  const two: Options = { preemptions: 2 };
  const all: Options = {};
  return [
    make('a sleeper with one wait', [waits({ on: FIRST }), post(FIRST)], all),
    make('a sleeper with two waits for one condition', [waits({ on: FIRST }, { on: FIRST }), post(FIRST)], all),
    make(
      'a sleeper with two waits for two conditions',
      [waits({ on: FIRST }, { on: SECOND }), post(FIRST, SECOND)],
      two,
    ),
    make('a sleeper moves', [waits({ on: FIRST }, { on: ELSEWHERE }), post(FIRST, ELSEWHERE)], two),
    make(
      'the first wait of a sleeper may be aborted',
      [waits({ on: FIRST, mayEnd: true }, { on: ELSEWHERE }), post(FIRST, ELSEWHERE)],
      two,
    ),
    make(
      'the first wait of a sleeper may be aborted, and only the second becomes due',
      [waits({ on: FIRST, mayEnd: true }, { on: ELSEWHERE }), post(ELSEWHERE)],
      two,
      { stuck },
    ),
    make(
      'a sleeper moves away from above a blocking waiter',
      [waits({ on: FIRST, mayEnd: true }, { on: ELSEWHERE }), block(FIRST), post(FIRST, ELSEWHERE)],
      two,
    ),
    make(
      'both waits of a sleeper may be aborted',
      [waits({ on: FIRST, mayEnd: true }, { on: ELSEWHERE, mayEnd: true }), post(FIRST, ELSEWHERE)],
      two,
    ),
    make(
      'a wait begins after its sleeper has ended',
      [waits({ on: FIRST }, { on: SECOND, begins: 'after' }), post(FIRST, SECOND)],
      two,
    ),
    make(
      'a wait begins while a sleeper sleeps',
      [waits({ on: FIRST }, { on: SECOND, begins: 'later' }), post(FIRST, SECOND)],
      two,
    ),
    make('sleepers of two agents', [waits({ on: FIRST }), waits({ on: FIRST }), post(FIRST)], two),
    make(
      'a sleeper above a blocking waiter',
      [waits({ on: FIRST }, { on: ELSEWHERE }), block(FIRST), post(FIRST, ELSEWHERE)],
      two,
    ),
    make(
      'a sleeper that may move above a blocking waiter',
      [waits({ on: FIRST, mayEnd: true }), block(FIRST), post(FIRST)],
      two,
    ),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'sleeper',
    entry: new URL('async-entry.ts', import.meta.url),
    lowered: true,
    cases: sleeperCases,
    mutants: SLEEPER_MUTANTS,
  },
];
