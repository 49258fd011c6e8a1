// Cases in which agents die: before any kernel step, write or notification, or asleep. A signal whose waiter died
// before it learned of it is signalled again. A signal that the waiter saw is consumed.

import { DIED, type Options, type Words } from '@sluice/model';
import type { Kernel } from '../../../core/src/kernel/kernel.ts';
import { AGENT_SPARE, OWNER } from '../../../core/src/kernel/layout.ts';
import { endWait, reclaim, sleepOn } from '../../../core/test/model/office-bodies.ts';
import { putToSleep, type OfficeSetup, type Plan } from '../../../core/test/model/office-world.ts';
import { agentAt, elementAt } from '../../../core/test/model/places.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { signal, tryWait, wait, waitOrAbort } from './event-cases.ts';
import {
  draw,
  entryOf,
  eventWorld,
  inLine,
  isKept,
  took,
  type EventActor,
  type EventBody,
  type EventCore,
} from './event-world.ts';
import { asElement } from '../../../core/src/kernel/addresses.ts';
import { DEATH_MUTANTS } from './mutants.ts';

const ALL: Options = {};
const NO_PREEMPTION: Options = { preemptions: 0 };
const ONE_PREEMPTION: Options = { preemptions: 1 };
const TWO_PREEMPTIONS: Options = { preemptions: 2 };

/** The body of an agent that sleeps in the queue from the start. */
const sleep: EventBody = (actor) => ({ taken: sleepOn(actor, entryOf(actor)) ? 1 : 0 });

const sleepTimed: EventBody = (actor) => ({ taken: sleepOn(actor, entryOf(actor), true) ? 1 : 0 });

/** Two waits of one agent, with the elements that `twiceInLine` enqueues. */
const sleepTwice: EventBody = (actor) => {
  const { core, context, policy } = actor;
  for (const element of [elementAt(0), elementAt(SECOND)]) {
    endWait(
      actor,
      element,
      core.sleepInLine(context, { line: actor.line, entry: entryOf(actor) }, element, policy, Infinity),
    );
  }
  return { taken: 2 };
};
/** The element after those that agents have from the start, in a world of three agents. */
const SECOND = 3;

function twiceInLine(words: Words, kernel: Kernel): void {
  for (const element of [elementAt(0), elementAt(SECOND)]) {
    words.put32(element + OWNER, 1);
    words.put32(agentAt(0) + AGENT_SPARE, element);
    putToSleep(words, kernel, 0, asElement(draw(kernel, 0)));
  }
}

/** Recovers the dead signaller and signals in its place, whether it died before or after its signal. */
const reclaimAndSignal: EventBody = (actor) => {
  reclaim(0)(actor);
  if (actor.ctx.dead(0)) actor.event.signal();
};

/** Counts the signals that living agents consumed, that are kept, and that dead agents learned of. */
function count(words: Words, outcomes: readonly unknown[]): number {
  const taken = (outcome: unknown, agent: number): number => {
    if (outcome === DIED) return took(words, agent) ? 1 : 0;
    return (outcome as { readonly taken?: number } | undefined)?.taken ?? 0;
  };
  return outcomes.reduce<number>((sum, outcome, agent) => sum + taken(outcome, agent), isKept(words) ? 1 : 0);
}

export function eventDeathCases(core: EventCore): Case[] {
  const make = (
    name: string,
    bodies: readonly EventBody[],
    options: Options,
    [least, most]: readonly [number, number],
    more: Partial<OfficeSetup & Plan<EventActor>> = {},
  ): Case =>
    eventWorld(core, { agents: bodies.length, ...more }).case({
      name,
      bodies,
      options,
      mayCrash: [0],
      final: (words, outcomes) => {
        const there = count(words, outcomes);
        return there < least || there > most
          ? `${there} signals were consumed or kept, expected ${least} to ${most}`
          : undefined;
      },
      ...more,
    });
  const one = [1, 1] as const;
  const none = [0, 1] as const;
  return [
    make('death of a waiter', [wait(), signal(), reclaim(0)], ALL, one),
    make('death of a waiter that may time out', [tryWait(), signal(), reclaim(0)], ALL, one),
    make('death of an async waiter', [waitOrAbort(), signal(), reclaim(0)], ALL, one),
    make('death of a waiter ahead of another', [sleep, tryWait(), signal(), reclaim(0)], ONE_PREEMPTION, one, {
      before: inLine(0, 0),
    }),
    make('death of a waiter behind another', [tryWait(), sleep, signal(), reclaim(1)], ONE_PREEMPTION, one, {
      before: inLine(1, 1),
      mayCrash: [1],
    }),
    make('death of an agent with two waits', [sleepTwice, signal(2), reclaim(0)], TWO_PREEMPTIONS, [1, 2], {
      before: twiceInLine,
    }),
    make('death of a signaller', [signal(), tryWait(), reclaim(0)], ALL, none),
    make(
      'death of a signaller while another agent waits for its signal',
      [signal(), wait(), reclaimAndSignal],
      ALL,
      [1, 2],
    ),
    make('death of a waiter, then of its reclaimer', [sleep, signal(), reclaim(0), reclaim(2, 0)], NO_PREEMPTION, one, {
      before: inLine(0, 0),
      mayCrash: [0, 2],
      deaths: 2,
    }),
    make(
      'death of a waiter ahead of another, then of its reclaimer',
      [sleep, sleepTimed, signal(), reclaim(0), reclaim(3, 0)],
      NO_PREEMPTION,
      one,
      {
        before: inLine(0, 1),
        mayCrash: [0, 3],
        deaths: 2,
      },
    ),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'event death', entry: new URL('entry.ts', import.meta.url), cases: eventDeathCases, mutants: DEATH_MUTANTS },
];
