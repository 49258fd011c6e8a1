// Bodies of agents at a barrier in a model. Each party writes its work before it arrives. After its generation has
// tripped, it checks that all parties have written theirs.

import { STUCK } from '@sluice/model';
import { drawTicket, endWait, giveUp, sleepOn } from '../../../core/test/model/office-bodies.ts';
import { entryAt, insideAt } from '../../../core/test/model/places.ts';
import { TAKEN } from '../../../core/src/kernel/states.ts';
import { OUTCOME } from '../../src/kernel/layout.ts';
import { BROKE, FIRST, TRIPPED } from '../../src/kernel/outcomes.ts';
import type { BarrierKernel } from '../../src/kinds.ts';
import { BARRIER, TAG, type Arrival, type BarrierActor, type BarrierBody } from './barrier-world.ts';

/** Returns the outcome of the call: its result or its error. */
export function arrivalOf(actor: BarrierActor, arrive: () => { readonly leader: boolean } | undefined): Arrival {
  try {
    const result = arrive();
    if (result === undefined) return 'late';
    return result.leader ? 'leads' : 'follows';
  } catch (error) {
    if (!actor.core.hasCode(error, 'SLUICE_BROKEN_BARRIER')) throw error;
    return 'broke';
  }
}

/** Records that this agent's party has done its work of that round. */
function work({ ctx }: BarrierActor, round: number): void {
  ctx.words.store32(insideAt(ctx.index), round);
}

/** Checks, after a generation has tripped, that all parties have done their work of that round. */
function check({ ctx }: BarrierActor, arrival: Arrival, parties: readonly number[], round: number): Arrival {
  if (arrival !== 'leads' && arrival !== 'follows') return arrival;
  for (const party of parties)
    ctx.assert(
      ctx.words.load32(insideAt(party)) >= round,
      `admitted before the work of agent ${party} in round ${round}`,
    );
  return arrival;
}

export const meet =
  (...parties: readonly number[]): BarrierBody =>
  (actor) => {
    work(actor, 1);
    return check(
      actor,
      arrivalOf(actor, () => actor.barrier.wait()),
      parties,
      1,
    );
  };

/** Meets in several generations. Stops when one is broken. */
export const meetTimes =
  (times: number, ...parties: readonly number[]): BarrierBody =>
  (actor) => {
    const arrivals: Arrival[] = [];
    for (let round = 1; round <= times; round++) {
      work(actor, round);
      const arrival = check(
        actor,
        arrivalOf(actor, () => actor.barrier.wait()),
        parties,
        round,
      );
      arrivals.push(arrival);
      if (arrival === 'broke') break;
    }
    return arrivals.join(', ');
  };

export const tryMeet =
  (...parties: readonly number[]): BarrierBody =>
  (actor) => {
    work(actor, 1);
    return check(
      actor,
      arrivalOf(actor, () => actor.barrier.tryWait(1)),
      parties,
      1,
    );
  };

/** Arrives only as the last party. */
export const glance =
  (...parties: readonly number[]): BarrierBody =>
  (actor) => {
    work(actor, 1);
    return check(
      actor,
      arrivalOf(actor, () => actor.barrier.tryWait()),
      parties,
      1,
    );
  };

/** Meets through an instance with an action. */
export const meetActing =
  (...parties: readonly number[]): BarrierBody =>
  (actor) => {
    work(actor, 1);
    return check(
      actor,
      arrivalOf(actor, () => actor.acting.wait()),
      parties,
      1,
    );
  };
export const tryMeetActing: BarrierBody = (actor) => {
  work(actor, 1);
  return arrivalOf(actor, () => actor.acting.tryWait(1));
};

/** Meets through an instance whose action throws. */
export const meetThrowing: BarrierBody = (actor) => {
  const failure = new Error('the action');
  const barrier = actor.withAction(() => {
    throw failure;
  });
  work(actor, 1);
  try {
    return arrivalOf(actor, () => barrier.wait());
  } catch (error) {
    if (error !== failure) throw error;
    return 'threw';
  }
};

/** Returns the outcome that the agent's entry holds for the wait that ended. */
function toldTo({ ctx }: BarrierActor): Arrival {
  const outcome = ctx.words.get32(entryAt(ctx.index, 0) + OUTCOME);
  if (outcome === BROKE) return 'broke';
  ctx.assert((outcome & ~FIRST) === TRIPPED, `outcome ${outcome}`);
  return (outcome & FIRST) === 0 ? 'follows' : 'leads';
}

/** An async wait as the event loop drives it. An abort may end it at any moment. */
export const meetOrAbort =
  (...parties: readonly number[]): BarrierBody =>
  (actor) =>
    meetInChain(actor, parties, actor.ctx.choose(3, 'abort before linking, after it, never'));

/** An async wait that no abort ends. */
export const meetLater =
  (...parties: readonly number[]): BarrierBody =>
  (actor) =>
    meetInChain(actor, parties, 2);

function meetInChain(actor: BarrierActor, parties: readonly number[], abort: number): Arrival {
  const { core, ctx, context, policy, line } = actor;
  work(actor, 1);
  const entry = entryAt(ctx.index, 0);
  const element = drawTicket(actor, () =>
    (context.kernel as BarrierKernel).arriveAtBarrier(BARRIER, TAG, context.agent, entry, 1, 0),
  );
  if (element === TAKEN) {
    context.finishWalk();
    return check(actor, toldTo(actor), parties, 1);
  }
  if (abort > 0) core.enterChain(context, element);
  const at = { line, entry };
  const verdict =
    abort < 2 ? core.leaveLine(context, at, element) : core.sleepInLine(context, at, element, policy, Infinity);
  return endWait(actor, element, verdict) ? check(actor, toldTo(actor), parties, 1) : 'late';
}

export const sleep =
  (...parties: readonly number[]): BarrierBody =>
  (actor) => {
    actor.ctx.assert(sleepOn(actor, entryAt(actor.ctx.index, 0)), 'a wait without a limit ended without its verdict');
    return check(actor, toldTo(actor), parties, 1);
  };
export const leave: BarrierBody = (actor) => (giveUp(actor, entryAt(actor.ctx.index, 0)) ? toldTo(actor) : 'late');

export const reset: BarrierBody = ({ barrier }) => barrier.reset();
export const abort: BarrierBody = ({ barrier }) => barrier.abort();
export const deregister: BarrierBody = (actor) => {
  work(actor, 1);
  actor.barrier.deregister();
};
export const deregisterActing: BarrierBody = (actor) => {
  work(actor, 1);
  actor.acting.deregister();
};

/** Checks that all parties of one generation got the same outcome, and that exactly one of them leads if it tripped. */
export function agree(_words: unknown, outcomes: readonly unknown[]): string | undefined {
  const told = outcomes.filter((outcome) => outcome === 'leads' || outcome === 'follows');
  const leaders = told.filter((outcome) => outcome === 'leads').length;
  if (told.length > 0 && outcomes.some((outcome) => outcome === 'broke' || outcome === 'late' || outcome === 'threw'))
    return `the waits of one generation ended as ${outcomes.join(', ')}`;
  if (told.length > 0 && leaders !== 1) return `${leaders} parties lead`;
  return undefined;
}

/** Checks that the only party that waits forever is one that is alone in its generation. */
export function alone(_words: unknown, outcomes: readonly unknown[]): string | undefined {
  const waits = outcomes.filter((outcome) => outcome === STUCK).length;
  return waits === 1 && !outcomes.includes('leads') && !outcomes.includes('follows')
    ? undefined
    : `ended as ${outcomes.map(String).join(', ')}`;
}
