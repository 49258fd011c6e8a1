// Async waits as the event loop drives them. The real loops of the semaphore and of waits for a condition run here. A
// wake-up, timeout or abort may happen at any moment.

import type { Options, Words } from '@sluice/model';
import type { WaitErrors } from '../../src/error-text/primitive-errors.ts';
import { ClosedError, DeadlockError, TimeoutError } from '../../src/api/errors.ts';
import { hasCode } from '../../src/api/has-code.ts';
import { BUCKETS, GATE, MODE_ASYNC } from '../../src/kernel/layout.ts';
import { IDLE, SHUT, TAKEN } from '../../src/kernel/states.ts';
import type { WaitOptions } from '../../src/api/wait-options.ts';
import { AsyncLoop, ModelSignal } from './async-loop.ts';
import type * as AsyncEntry from './async-entry.ts';
import { give, pass } from './bodies.ts';
import { elementAt, semaphoreAddress, tagOf, TREASURE } from './places.ts';
import type { Case, Model } from './case.ts';
import { World, type Actor, type Body, type Setup } from './world.ts';
import { asBucket } from '../../src/kernel/addresses.ts';
import { ASYNC_MUTANTS } from './async-mutants.ts';

export type AsyncCore = typeof AsyncEntry;

interface Wait {
  readonly permits?: number;
  /**
   * How the wait may end early. `aborted`: its signal was aborted before the wait begins, as in a later wait of the
   * same call.
   */
  readonly ends?: 'timeout' | 'abort' | 'aborted';
  /** Whether the wait keeps its permits. */
  readonly keeps?: boolean;
}

/** Errors without details: the details would be read from words that the explorer need not track. */
const WANTED: WaitErrors = {
  timedOut: () => new TimeoutError('late'),
  deadlock: () => new DeadlockError('blocked'),
  closed: () => new ClosedError('closed'),
};

const TWO_PREEMPTIONS: Options = { preemptions: 2 };

function optionsOf(loop: AsyncLoop, { ends }: Wait): WaitOptions {
  if (ends === 'timeout') return { timeout: 5, ref: false };
  if (ends === undefined) return { ref: false };
  const signal = new ModelSignal();
  if (ends === 'abort') loop.mayAbort(signal);
  else signal.abort();
  return { signal: signal as never, ref: false };
}

/**
 * Waits of one agent, all begun at once in this order. The waits that do not succeed at once are admitted in this
 * order.
 */
export const waits = (...all: readonly Wait[]): Body => waitsIn({}, ...all);

/** As `waits`, with at most `most` waits that settle in one turn of the event loop. */
const waitsInSlices = (most: number, ...all: readonly Wait[]): Body => waitsIn({ most }, ...all);

/** As `waits`, for waits for permits: the waits behind the first enter their chains late. */
export const late = (...all: readonly Wait[]): Body => waitsIn({ linksLate: true }, ...all);

/** A release settles the next wait of the same agent. */
const passedOn = (most: number | undefined, ...all: readonly Wait[]): Body =>
  waitsIn({ most, linksLate: true, settlesOwn: true }, ...all);

/** The budget of the thread may be used up at each wait that settles: the wait then settles in a later turn. */
const inTurns = (...all: readonly Wait[]): Body => waitsIn({ hasBudget: true }, ...all);

interface Manner {
  readonly most?: number | undefined;
  readonly linksLate?: boolean;
  readonly settlesOwn?: boolean;
  readonly hasBudget?: boolean;
}

const waitsIn =
  ({ most, linksLate = false, settlesOwn = false, hasBudget = false }: Manner, ...all: readonly Wait[]): Body =>
  ({ core, ctx, context, sem, entry }: Actor) => {
    const { AsyncWaits, awaitInLine } = core as unknown as AsyncCore;
    const loop = new AsyncLoop(ctx);
    if (hasBudget) Object.assign(context, { budget: loop.budget(core as unknown as AsyncCore) });
    // The class comes from the bundle, so that its mutants take effect.
    const lineState = {
      ...context.lineState(semaphoreAddress(0), tagOf(0), { recorded: true }),
      asyncWaits: new AsyncWaits(most),
    };
    let over = 0;
    let last = -1;
    const admitted: number[] = [];
    const begin = (wait: Wait, index: number): void => {
      const { permits = 1, keeps = false } = wait;
      const draw = (): number => {
        context.refill();
        const drawn = context.kernel.acquire(semaphoreAddress(0), tagOf(0), entry, permits, context.agent);
        return drawn === TAKEN || drawn === SHUT ? drawn : context.begin(drawn, entry, MODE_ASYNC);
      };
      let drawing = true;
      const taken = (): void => {
        admitted.push(index);
        // The wait was admitted at once. The verdicts of earlier waits may still be on their way.
        if (drawing) return;
        ctx.assert(index > last, `wait ${index} is admitted after wait ${last}`);
        last = index;
      };
      awaitInLine(context, lineState, draw, optionsOf(loop, wait), WANTED, taken, linksLate).then(
        (outcome) => {
          over += 1;
          if (outcome !== TAKEN) return;
          ctx.assert(admitted.shift() === index, `wait ${index} settles before a wait that was admitted first`);
          if (keeps) return;
          sem.release(permits);
          if (settlesOwn) lineState.asyncWaits.settleOwn(permits);
        },
        () => {
          over += 1;
        },
      );
      drawing = false;
    };
    loop.run(
      () => all.forEach(begin),
      () => over === all.length,
    );
    ctx.assert(lineState.asyncWaits.size === 0, 'a settled wait is still counted');
  };

/**
 * A call that waits twice. The abort may also come during its first wait, which has no signal, as when a condition's
 * wait locks its lock again.
 */
const waitsAgain: Body = ({ core, ctx, context, entry }) => {
  const { AsyncWaits, awaitInLine } = core as unknown as AsyncCore;
  const loop = new AsyncLoop(ctx);
  const lineState = {
    ...context.lineState(semaphoreAddress(0), tagOf(0), { recorded: true }),
    asyncWaits: new AsyncWaits(),
  };
  const draw = (): number => {
    context.refill();
    const drawn = context.kernel.acquire(semaphoreAddress(0), tagOf(0), entry, 1, context.agent);
    return drawn === TAKEN || drawn === SHUT ? drawn : context.begin(drawn, entry, MODE_ASYNC);
  };
  const signal = new ModelSignal();
  const wait = (options: WaitOptions): Promise<unknown> => awaitInLine(context, lineState, draw, options, WANTED);
  let outcome: unknown;
  const both = (): Promise<unknown> => wait({ ref: false }).then(() => wait({ signal: signal as never, ref: false }));
  loop.run(
    () => {
      setImmediate(() => signal.abort());
      void both().then(
        () => (outcome = 'granted'),
        (reason: unknown) => (outcome = reason),
      );
    },
    () => outcome !== undefined,
  );
  ctx.assert(outcome === signal.reason, `it ended with ${String(outcome)}`);
};

/** Waits until another agent has set a word. The wait may have a timeout or a signal. */
const condition =
  (wait: Wait): Body =>
  ({ core, ctx, context }: Actor) => {
    const { awaitAtBucket, DEFAULT_POLICY } = core as unknown as AsyncCore;
    const loop = new AsyncLoop(ctx);
    const spot = { context, bucket: asBucket(BUCKETS), policy: { ...DEFAULT_POLICY, spinMicros: 0 } };
    let outcome: unknown;
    const isSet = (): boolean => context.words.load32(TREASURE) === 1;
    loop.run(
      () =>
        void awaitAtBucket(spot, isSet, optionsOf(loop, wait), 'nothing happened').then(
          () => (outcome = 'met'),
          (failure: unknown) => (outcome = hasCode(failure, 'SLUICE_TIMEOUT') ? 'late' : failure),
        ),
      () => outcome !== undefined,
    );
    ctx.assert(outcome === 'met' || wait.ends !== undefined, `it ended with ${String(outcome)}`);
  };

const signal: Body = ({ context }) => {
  context.words.store32(TREASURE, 1);
  if (context.kernel.signalChain(context.agent, asBucket(BUCKETS), 0) !== IDLE) context.finishWalk();
};

/**
 * Wakes the waiter with the first element, which has no verdict. A recovery does so when it is left to that waiter
 * (recovery/pending.ts).
 */
const rewakeAndGive: Body = ({ context: { agent, kernel, parking }, sem }) => {
  if (kernel.rewake(agent, elementAt(0)) !== 0) parking.notify(elementAt(0) + GATE);
  sem.release();
};

const close: Body = ({ sem }) => sem.close();

export function asyncCases(core: AsyncCore): Case[] {
  const make = (
    name: string,
    setup: Setup,
    bodies: readonly Body[],
    options: Options,
    final?: (words: Words) => string | undefined,
  ): Case => {
    const world = new World(core, { async: true, ...setup });
    return { scenario: world.scenario(name, bodies, undefined, final === undefined ? {} : { final }), options };
  };
  const two: Setup = { permits: [1], agents: 2, elements: 4 };
  const none: Setup = { permits: [0], agents: 2, elements: 4, most: 3 };
  const untold = (): undefined => undefined;
  const free = (permits: number) => (words: Words) => {
    const left = core.referenceKernel(words).balance(semaphoreAddress(0));
    return left === permits ? undefined : `it ends with ${left} free permits`;
  };
  const atLeast = (permits: number) => (words: Words) =>
    core.referenceKernel(words).balance(semaphoreAddress(0)) >= permits ? undefined : 'a permit is lost';
  return [
    make('an async waiter and a blocking waiter', two, [waits({}), pass()], {}),
    make('two async waits of one agent and a blocking waiter', two, [waits({}, {}), pass()], TWO_PREEMPTIONS),
    make('async waits of two agents', two, [waits({}), waits({})], TWO_PREEMPTIONS),
    make('an async wait that may time out', two, [waits({ ends: 'timeout' }), pass()], TWO_PREEMPTIONS),
    make('an async wait that may be aborted', two, [waits({ ends: 'abort' }), pass()], TWO_PREEMPTIONS),
    make(
      'an async wait begins with a signal that was aborted',
      { ...none, agents: 1 },
      [waits({ ends: 'aborted' })],
      {},
      free(0),
    ),
    make(
      'an async wait begins with a signal that was aborted, and a permit is released',
      none,
      [waits({ ends: 'aborted' }, {}), give()],
      TWO_PREEMPTIONS,
      free(1),
    ),
    make(
      'a call waits twice, and is aborted before or during its second wait',
      none,
      [waitsAgain, give()],
      TWO_PREEMPTIONS,
      free(0),
    ),
    make(
      'one release grants two permits to two async waits',
      none,
      [waits({ keeps: true }, { keeps: true }), give(2)],
      TWO_PREEMPTIONS,
      free(0),
    ),
    make(
      'one release grants three permits to three async waits',
      { ...none, buckets: 2 },
      [waits({ keeps: true }, { keeps: true }, { keeps: true }), give(3)],
      TWO_PREEMPTIONS,
      free(0),
    ),
    make(
      'three async waits settle, one per turn',
      { ...none, buckets: 2 },
      [waitsInSlices(1, { keeps: true }, { keeps: true }, { keeps: true }), give(3)],
      TWO_PREEMPTIONS,
      free(0),
    ),
    make(
      'three async waits settle, two per turn, and the second may be aborted',
      none,
      [waitsInSlices(2, {}, { ends: 'abort' }, {}), give(2)],
      TWO_PREEMPTIONS,
      free(2),
    ),
    make(
      'close() during async waits that settle one per turn',
      none,
      [waitsInSlices(1, {}, {}), close],
      TWO_PREEMPTIONS,
      untold,
    ),
    make(
      'two releases grant two permits to two async waits',
      { ...none, agents: 3, buckets: 2 },
      [waits({ keeps: true }, { keeps: true }), give(), give()],
      TWO_PREEMPTIONS,
      free(0),
    ),
    make(
      'two async waits settle, one per turn, and the second permit is released later',
      { ...none, agents: 3 },
      [waitsInSlices(1, { keeps: true }, { keeps: true }), give(), give()],
      TWO_PREEMPTIONS,
      free(0),
    ),
    make(
      'async waits settle in order while the budget of the turn is used up',
      { ...none, permits: [1], most: 4 },
      [inTurns({ keeps: true }, { keeps: true }, { keeps: true }), give(2)],
      TWO_PREEMPTIONS,
      free(0),
    ),
    make(
      'an async wait whose budget is used up is aborted after its grant',
      none,
      [inTurns({ keeps: true }, { ends: 'abort' }), give(2)],
      TWO_PREEMPTIONS,
      free(1),
    ),
    make(
      'one release grants one permit to the first of three async waits',
      none,
      [waits({}, {}, {}), give()],
      TWO_PREEMPTIONS,
      free(1),
    ),
    make(
      'the first of three async waits wants two permits, which are released one by one',
      { ...none, agents: 3 },
      [waits({ permits: 2 }, {}, {}), give(), give()],
      TWO_PREEMPTIONS,
      free(2),
    ),
    make(
      'the first of two async waits may be aborted during a release',
      none,
      [waits({ ends: 'abort' }, {}), give()],
      TWO_PREEMPTIONS,
      free(1),
    ),
    make(
      'the second of three async waits may be aborted during a release',
      none,
      [waits({}, { ends: 'abort' }, {}), give()],
      TWO_PREEMPTIONS,
      free(1),
    ),
    make('an async wait is woken without a grant', none, [waits({}, {}), rewakeAndGive], TWO_PREEMPTIONS, free(1)),
    make(
      'the first of two async waits may be aborted',
      none,
      [waits({ ends: 'abort' }, {}), give(2)],
      TWO_PREEMPTIONS,
      free(2),
    ),
    make(
      'the first of two async waits may time out',
      none,
      [waits({ ends: 'timeout' }, {}), give(2)],
      TWO_PREEMPTIONS,
      free(2),
    ),
    make(
      'the first of two async waits wants two permits and may be aborted',
      none,
      [waits({ permits: 2, ends: 'abort' }, {}), give(2)],
      TWO_PREEMPTIONS,
      atLeast(2),
    ),
    make('two async waits that link late and a blocking waiter', two, [late({}, {}), pass()], TWO_PREEMPTIONS),
    make(
      'one release grants three permits to three async waits that link late',
      { ...none, buckets: 2 },
      [late({ keeps: true }, { keeps: true }, { keeps: true }), give(3)],
      TWO_PREEMPTIONS,
      free(0),
    ),
    make(
      'two releases grant two permits to two async waits that link late',
      { ...none, agents: 3, buckets: 2 },
      [late({ keeps: true }, { keeps: true }), give(), give()],
      TWO_PREEMPTIONS,
      free(0),
    ),
    make(
      'the first of three async waits that link late wants two permits',
      { ...none, agents: 3 },
      [late({ permits: 2 }, {}, {}), give(), give()],
      TWO_PREEMPTIONS,
      free(2),
    ),
    make(
      'the first of two async waits that link late may be aborted',
      none,
      [late({ ends: 'abort' }, {}), give()],
      TWO_PREEMPTIONS,
      free(1),
    ),
    make(
      'the second of three async waits that link late may be aborted',
      none,
      [late({}, { ends: 'abort' }, {}), give()],
      TWO_PREEMPTIONS,
      free(1),
    ),
    make(
      'close() during async waits that link late',
      two,
      [late({}, { ends: 'abort' }, {}), close],
      TWO_PREEMPTIONS,
      untold,
    ),
    make(
      'async waits pass a permit on to the next wait of their agent',
      none,
      [passedOn(undefined, {}, {}, {}), give()],
      TWO_PREEMPTIONS,
      free(1),
    ),
    make(
      'async waits of two agents pass a permit on',
      { ...none, agents: 3 },
      [passedOn(undefined, {}, {}), passedOn(undefined, {}), give()],
      { preemptions: 1 },
      free(1),
    ),
    make(
      'async waits pass a permit on, one wait per turn',
      none,
      [passedOn(1, {}, {}, {}), give()],
      TWO_PREEMPTIONS,
      free(1),
    ),
    make(
      'async waits pass permits on, and the second may be aborted',
      none,
      [passedOn(undefined, {}, { ends: 'abort' }, {}), give()],
      TWO_PREEMPTIONS,
      free(1),
    ),
    make(
      'async waits pass one of two permits on',
      { ...none, agents: 3 },
      [passedOn(undefined, {}, { keeps: true }, {}), give(), give()],
      TWO_PREEMPTIONS,
      free(1),
    ),
    make('close() during async waits', two, [waits({}, { ends: 'abort' }), close], TWO_PREEMPTIONS, untold),
    make('an async wait on a condition', two, [condition({}), signal], {}, untold),
    make(
      'async waits of two agents on a condition',
      { ...two, agents: 3 },
      [condition({}), condition({}), signal],
      TWO_PREEMPTIONS,
      untold,
    ),
    make(
      'an async wait on a condition that may time out',
      two,
      [condition({ ends: 'timeout' }), signal],
      TWO_PREEMPTIONS,
      untold,
    ),
    make(
      'an async wait on a condition begins with a signal that was aborted',
      { ...two, agents: 1 },
      [condition({ ends: 'aborted' })],
      {},
      untold,
    ),
    make(
      'an async wait on a condition that may be aborted',
      { ...two, agents: 3 },
      [condition({ ends: 'abort' }), condition({}), signal],
      TWO_PREEMPTIONS,
      untold,
    ),
  ];
}

export const MODELS: readonly Model[] = [
  {
    name: 'async',
    entry: new URL('async-entry.ts', import.meta.url),
    lowered: true,
    cases: asyncCases,
    mutants: ASYNC_MUTANTS,
  },
];
