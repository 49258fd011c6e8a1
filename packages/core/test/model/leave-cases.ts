// Scenarios in which an agent leaves the arena while other agents wait, probe it, or reuse its record.

import type { Context, Options, Words } from '@sluice/model';
import {
  AGENT_ALIVE,
  AGENT_ARMED,
  AGENT_LEFT,
  AGENT_LIFE,
  AGENT_STATE,
  AGENT_THREAD,
  OWNER,
} from '../../src/kernel/layout.ts';
import { TAKEN } from '../../src/kernel/states.ts';
import type { Parking } from '../../src/agent/parking.ts';
import { pass, tryPass } from './bodies.ts';
import { checkDead } from './death-cases.ts';
import { reclaim } from './death-bodies.ts';
import { HeapWorld } from './heap-world.ts';
import { agentAt, elementAt, ledgerAt, TREASURE } from './places.ts';
import type { Case, Model } from './case.ts';
import type { Body, Core } from './world.ts';
import { LEAVE_MUTANTS } from './leave-mutants.ts';

const ALL: Options = {};
const TWO_PREEMPTIONS: Options = { preemptions: 2 };
/**
 * The number of async waits that are pending on the liveness token of agent 0 (agent/liveness-probe.ts). For a real agent the
 * platform counts them.
 */
const PENDING = TREASURE;
const ARMED = 4;
/** The id and the thread of an agent that joins when the record is free. */
const NEWCOMER = 9;
const THREAD = 1;

class LeaveWorld extends HeapWorld {
  override layOut(words: Words): void {
    super.layOut(words);
    words.put32(PENDING, ARMED);
    words.put32(agentAt(0) + AGENT_ARMED, ARMED);
  }

  protected override parking(ctx: Context): Parking {
    const parking = super.parking(ctx);
    const notify: Parking['notify'] = (address, count) => {
      if (address !== agentAt(0) + AGENT_LIFE) return parking.notify(address, count);
      ctx.step('notify');
      return count === undefined ? ctx.words.exchange32(PENDING, 0) : takePending(ctx.words);
    };
    return { ...parking, notify };
  }
}

function takePending(words: Words): number {
  for (;;) {
    const pending = words.load32(PENDING);
    if (pending === 0) return 0;
    if (words.cas32(PENDING, pending, pending - 1) === pending) return 1;
  }
}

export function leaveCases(core: Core): Case[] {
  const make = (name: string, bodies: readonly Body[], options: Options, mayCrash: readonly number[] = []): Case => {
    const world = new LeaveWorld(core, { permits: [1], agents: bodies.length, spares: true });
    const scenario = world.scenario(name, bodies, undefined, {
      final: (words, outcomes) =>
        world.checkEnd(words, [1]) ??
        world.checkHeap(words) ??
        checkDead(world, words, outcomes) ??
        checkGone(world, words, outcomes.includes(NEWCOMER)),
      ...(mayCrash.length === 0 ? {} : { mayCrash, deaths: mayCrash.length }),
    });
    return { scenario, options };
  };
  return [
    make('an agent leaves while another agent waits', [leaveAfter(pass()), pass()], ALL),
    make('an agent leaves after it has cancelled a wait', [leaveAfter(tryPass()), pass(), pass()], TWO_PREEMPTIONS),
    make('an agent leaves while another agent probes it and then joins', [leaveAfter(), askThenJoin], ALL),
    make('an agent leaves while two other agents probe it', [leaveAfter(), askThenJoin, ask], TWO_PREEMPTIONS),
    make('an agent dies while it leaves', [leaveAfter(pass()), pass(), reclaim(0)], TWO_PREEMPTIONS, [0]),
    make(
      'an agent dies while it leaves, and so does its reclaimer',
      [leaveAfter(), reclaim(0), reclaim(1, 0)],
      TWO_PREEMPTIONS,
      [0, 1],
    ),
  ];
}

const leaveAfter =
  (before?: Body): Body =>
  (actor) => {
    before?.(actor);
    actor.core.leaveArena(actor.context);
  };

/** Like `arena.reclaim(1)`. */
const ask: Body = ({ ctx, core, context }) => {
  const outcome = core.recover(context, agentAt(0), 1, false);
  ctx.assert(typeof outcome === 'string', 'another agent recovered a living agent');
};

const askThenJoin: Body = (actor) => {
  ask(actor);
  return actor.context.kernel.claimRecord(agentAt(0), NEWCOMER, THREAD) === TAKEN ? NEWCOMER : undefined;
};

/** Checks that agent 0 has left nothing. If another agent has reused its record, the record must be complete. */
function checkGone(world: LeaveWorld, words: Words, isUsedAgain: boolean): string | undefined {
  if (words.load32(agentAt(0) + AGENT_STATE) === AGENT_LEFT) world.tidy(words, 0);
  const [owner, state, thread] = [OWNER, AGENT_STATE, AGENT_THREAD].map((word) => words.load32(agentAt(0) + word));
  const expected = isUsedAgain ? [NEWCOMER, AGENT_ALIVE, THREAD] : [0, 0, 0];
  if ([owner, state, thread].join() !== expected.join())
    return `the record says owner ${owner}, state ${state}, thread ${thread}, expected ${expected.join(', ')}`;
  if (words.load32(ledgerAt(0) + OWNER) === 1) return 'agent 0 left and still has its ledger';
  const kept = Array.from({ length: world.setup.elements }, (_, index) => elementAt(index)).find(
    (element) => words.load32(element + OWNER) === 1,
  );
  return kept === undefined ? undefined : 'agent 0 left and still has an element';
}

export const MODELS: readonly Model[] = [
  { name: 'leave', entry: new URL('entry.ts', import.meta.url), cases: leaveCases, mutants: LEAVE_MUTANTS },
];
