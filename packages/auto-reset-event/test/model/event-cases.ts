// Cases of the event. Each is small enough for a complete search, or for a complete search within a bound on
// preemptions. No order of atomic operations shows that a signal to a signalled event must write (event.ts):
// payload.stress.ts tests that.

import { STUCK, type Options, type Words } from '@sluice/model';
import { GRANT, OFFICE, TICKET } from '../../../core/src/kernel/layout.ts';
import { drawTicket, endWait, enterOrAbort, giveUp, sleepOn } from '../../../core/test/model/office-bodies.ts';
import type { OfficeSetup, Plan } from '../../../core/test/model/office-world.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import {
  draw,
  entryOf,
  EVENT,
  eventWorld,
  inLine,
  isKept,
  messageOf,
  type EventActor,
  type EventBody,
  type EventCore,
} from './event-world.ts';
import { asElement } from '../../../core/src/kernel/addresses.ts';
import { MUTANTS } from './mutants.ts';

const ALL: Options = {};
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
const THREE_PREEMPTIONS: Options = { preemptions: 3 };
const LOCAL: Options = { preemptions: 2, scheduleLocal: true };

/** Values just below those at which 32-bit, double and 64-bit counters wrap or lose precision. */
const WRAPS = [2n ** 31n - 1n, 2n ** 32n - 1n, 2n ** 53n - 1n, 2n ** 63n - 1n];

/** The result of a body: how many signals it consumed, and per agent the last message that it saw afterwards. */
interface Catch {
  readonly taken: number;
  readonly seen: readonly number[];
}
const NOTHING: Catch = { taken: 0, seen: [] };

/** Writes a message and signals. */
export const signal =
  (times = 1): EventBody =>
  ({ ctx, event }) => {
    for (let message = 1; message <= times; message++) {
      ctx.words.store32(messageOf(ctx.index), message);
      event.signal();
      ctx.forget();
    }
  };

/** Reads all messages after a wait that consumed a signal. */
function read({ ctx }: EventActor, before: Catch): Catch {
  return { taken: before.taken + 1, seen: [0, 1].map((agent) => ctx.words.load32(messageOf(agent))) };
}

const waits =
  (wait: (actor: EventActor) => boolean) =>
  (times = 1): EventBody =>
  (actor) => {
    let caught = NOTHING;
    for (let round = 0; round < times; round++) {
      if (wait(actor)) caught = read(actor, caught);
      actor.ctx.forget(caught.taken, ...caught.seen);
    }
    return caught;
  };

export const wait = waits(({ event }) => {
  event.wait();
  return true;
});
export const tryWait = waits(({ event }) => event.tryWait(1));
const glance = waits(({ event }) => event.tryWait());
const reset = waits(({ event }) => event.reset());
const enqueueAtEvent =
  ({ context }: EventActor) =>
  (): number =>
    draw(context.kernel, context.id - 1);
export const waitOrAbort = waits((actor) => enterOrAbort(actor, enqueueAtEvent(actor), entryOf(actor)));
const sleep = waits((actor) => sleepOn(actor, entryOf(actor)));
const sleepTimed = waits((actor) => sleepOn(actor, entryOf(actor), true));
const leave = waits((actor) => giveUp(actor, entryOf(actor)));
/** Cancels. Signals again if it was granted a signal before it cancelled. */
const leaveAndSignal: EventBody = (actor) => {
  if (giveUp(actor, entryOf(actor))) actor.event.signal();
  return NOTHING;
};

/** One task waits while another task of the same agent signals. */
const signalBeside: EventBody = (actor) => {
  const { core, ctx, context, event, policy } = actor;
  const element = drawTicket(actor, enqueueAtEvent(actor));
  if (element > 0) core.enterChain(context, asElement(element));
  ctx.words.store32(messageOf(ctx.index), 1);
  event.signal();
  if (element > 0)
    endWait(
      actor,
      asElement(element),
      core.sleepInLine(context, { line: actor.line, entry: entryOf(actor) }, asElement(element), policy, Infinity),
    );
  return read(actor, NOTHING);
};

/**
 * Checks the signals. Some were consumed, and one may be kept. The others collapsed into one of these: after the last
 * message, an agent read that message or a signal is kept.
 */
function checkSignals(
  words: Words,
  outcomes: readonly unknown[],
  given: readonly number[],
  exact: boolean,
): string | undefined {
  const catches = outcomes.filter((outcome) => typeof outcome === 'object') as Catch[];
  const kept = isKept(words);
  const taken = catches.reduce((sum, caught) => sum + caught.taken, 0) + (kept ? 1 : 0);
  const most = given.reduce((sum, times) => sum + times, 0);
  if (taken > most || (exact && taken < most)) return `${most} signals were given, and ${taken} were consumed or kept`;
  const unread = given.findIndex(
    (times, agent) => times > 0 && !catches.some(({ taken: some, seen }) => some > 0 && seen[agent] === times),
  );
  return kept || unread < 0 ? undefined : `no agent saw the last message of agent ${unread}, and no signal is kept`;
}

/**
 * Checks that an agent that waits forever waits for a signal that never came: the agent is counted, and no permit is
 * granted to it.
 */
function checkWaiting(words: Words, outcomes: readonly unknown[]): string | undefined {
  const waiting = outcomes.filter((outcome) => outcome === STUCK).length;
  const status = words.load32(EVENT + OFFICE);
  const behind = words.load64(EVENT + TICKET) - words.load64(EVENT + GRANT);
  if (status === -waiting && behind === BigInt(waiting)) return undefined;
  return `${waiting} agents wait forever, the status is ${status} and ${behind} permits are missing`;
}

/**
 * `given`: how often each agent signals. `exact`: no two signals can collapse. `mayWait`: there may be fewer signals
 * than waits.
 */
type More = Partial<OfficeSetup & Plan<EventActor>> & {
  readonly given?: readonly number[];
  readonly exact?: boolean;
  readonly mayWait?: boolean;
};

export function eventCases(core: EventCore): Case[] {
  const make = (
    name: string,
    bodies: readonly EventBody[],
    options: Options,
    { given = [1], exact = false, mayWait = false, ...more }: More = {},
  ): Case =>
    eventWorld(core, { agents: bodies.length, ...more }).case({
      name,
      bodies,
      options,
      final: (words, outcomes) => checkSignals(words, outcomes, given, exact),
      ...(mayWait
        ? { stuck: (words, outcomes) => checkWaiting(words, outcomes) ?? checkSignals(words, outcomes, given, exact) }
        : {}),
      ...more,
    });
  const once = { exact: true };
  const twice = { given: [2] };
  const both = { given: [1, 1] };
  return [
    make('a signal races a wait', [signal(), wait()], ALL, once),
    make('a signal races a wait that may time out', [signal(), tryWait(2)], ALL, once),
    make('a signal races a non-blocking wait', [signal(), glance(2)], ALL, once),
    make('a signal races a reset', [signal(), reset()], ALL, once),
    make('a signal races an abort', [signal(), waitOrAbort()], ALL, once),
    make('two signals race one wait', [signal(2), wait()], ALL, twice),
    make('two signals race two waits that may time out', [signal(2), tryWait(2)], ALL, twice),
    make('two signals race an abort and a non-blocking wait', [signal(2), waitOrAbort()], ALL, twice),
    make('a signal races a wait of the same agent', [signalBeside, tryWait()], THREE_PREEMPTIONS, {
      ...once,
      mayWait: true,
    }),
    ...WRAPS.map((start) => make(`counters start at ${start}`, [signal(2), tryWait()], ALL, { ...twice, start })),
    make('two signallers and one waiter', [signal(), signal(), wait()], ALL, both),
    make('two signallers and one waiter that may time out', [signal(), signal(), tryWait(2)], TWO_PREEMPTIONS, both),
    make('one signaller and two waiters that may time out', [signal(), tryWait(), tryWait()], ONE_PREEMPTION, once),
    make('two signals and two waiters, one of which may time out', [signal(2), wait(), tryWait()], TWO_PREEMPTIONS, {
      ...twice,
      mayWait: true,
    }),
    make('two signals and two waiters, one of which may abort', [signal(2), waitOrAbort(), wait()], ONE_PREEMPTION, {
      ...twice,
      mayWait: true,
    }),
    make(
      'two signallers and two waiters that may time out',
      [signal(), signal(), tryWait(), tryWait()],
      ONE_PREEMPTION,
      both,
    ),
    make('the first of two waiters cancels', [signal(), leaveAndSignal, sleep()], ALL, { before: inLine(1, 2) }),
    make('the last of two waiters cancels', [signal(), sleep(), leaveAndSignal], ALL, { before: inLine(1, 2) }),
    make('both of two waiters cancel', [signal(), leave(), leave()], TWO_PREEMPTIONS, {
      ...once,
      before: inLine(1, 2),
    }),
    make('both of two waiters may time out', [signal(2), sleepTimed(), sleepTimed()], TWO_PREEMPTIONS, {
      ...twice,
      before: inLine(1, 2),
    }),
    make('a waiter cancels while another arrives', [signal(), leaveAndSignal, wait()], TWO_PREEMPTIONS, {
      before: inLine(1, 1),
    }),
    // Every word is watched, even words that only one agent should use.
    make('a signal races an abort, every word watched', [signal(), waitOrAbort()], LOCAL, once),
    make(
      'the first of two waiters cancels, every word watched',
      [signal(), leaveAndSignal, sleep()],
      { ...LOCAL, preemptions: 1 },
      {
        before: inLine(1, 2),
      },
    ),
    make(
      'the first of two waiters cancels, with two signallers',
      [signal(), signal(), leave(), sleep()],
      TWO_PREEMPTIONS,
      {
        ...both,
        before: inLine(2, 3),
      },
    ),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'event', entry: new URL('entry.ts', import.meta.url), cases: eventCases, mutants: MUTANTS },
];
