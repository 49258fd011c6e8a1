// Cases of park and unpark.

import type { Options } from '@sluice/model';
import { AGENT_PERMIT } from '../../../core/src/kernel/layout.ts';
import type { Case, Model } from '../../../core/test/model/case.ts';
import { agentAt, TREASURE } from '../../../core/test/model/places.ts';
import { ConditionWorld, recover, type Plan } from '../../../core/test/model/condition-world.ts';
import { PARK_MUTANTS } from './park-mutants.ts';
import type { Agent, WaitCore } from './ways.ts';

const ALL: Options = {};
const ONE: Options = { preemptions: 1 };
const TWO: Options = { preemptions: 2 };

const lotOf = ({ core, context }: Agent) => ({ context, policy: { ...core.DEFAULT_POLICY, spinMicros: 0 } });

/** Parks, and checks that it sees what was written before the unpark. */
const parks =
  (times = 1) =>
  (agent: Agent): void => {
    for (let round = 0; round < times; round++) {
      agent.ctx.assert(agent.core.parkAt(lotOf(agent), Infinity), 'park without a timeout timed out');
      agent.ctx.assert(agent.ctx.words.load32(TREASURE) === 1, 'a write before the unpark is not visible');
    }
  };
const mayTimeOut = (agent: Agent): void => {
  agent.core.parkAt(lotOf(agent), 1);
};
const unparks =
  (...ids: readonly number[]) =>
  (agent: Agent): void => {
    agent.ctx.words.store32(TREASURE, 1);
    for (const id of ids) agent.core.unparkAt(agent.context, id);
  };
/** Recovers the dead agents, and then gives the permit in their place. */
const unparksForTheDead =
  (id: number, ...victims: readonly number[]) =>
  (agent: Agent): void => {
    recover(agent, ...victims);
    unparks(id)(agent);
  };
/** Two permits, the second only after the first was taken. */
const unparksInTurn = (agent: Agent): void => {
  unparks(1)(agent);
  agent.ctx.until(() => agent.ctx.words.load32(agentAt(0) + AGENT_PERMIT) !== 1);
  unparks(1)(agent);
};

export function parkCases(core: WaitCore): Case[] {
  const make = (plan: Plan<WaitCore>, buckets = 1): Case => {
    const agents = plan.bodies.length;
    const world = new ConditionWorld(core, { permits: [0], agents, elements: agents + 1, buckets });
    return world.case({
      ...plan,
      final: (words, outcomes) => plan.final?.(words, outcomes) ?? world.checkElements(words),
    });
  };
  return [
    make({ name: 'one agent parks', bodies: [parks(), unparks(1)], options: ALL }),
    make({ name: 'an agent parks twice', bodies: [parks(2), unparksInTurn], options: ALL }),
    make({ name: 'two agents unpark one', bodies: [parks(), unparks(1), unparks(1)], options: TWO }),
    make({ name: 'two agents park in one bucket', bodies: [parks(), parks(), unparks(1, 2)], options: TWO }),
    // With fewer buckets the permits of both agents map to one.
    make({ name: 'two agents park in two buckets', bodies: [parks(), parks(), unparks(2, 1)], options: TWO }, 16),
    make({ name: 'a parked agent may time out', bodies: [mayTimeOut, unparks(1)], options: ALL }),
    make({ name: 'one of two parked agents may time out', bodies: [mayTimeOut, parks(), unparks(1, 2)], options: TWO }),
    make({
      name: 'an agent has at most one permit',
      bodies: [unparks(2, 2), mayTimeOut],
      options: ALL,
      final: (words) => {
        const permit = words.load32(agentAt(1) + AGENT_PERMIT);
        return permit === 0 || permit === 2 ? undefined : `the permit is ${permit}`;
      },
    }),
    make({
      name: 'death of an agent that unparks',
      bodies: [unparks(2), parks(), unparksForTheDead(2, 0)],
      options: ALL,
      mayCrash: [0],
    }),
    make({
      name: 'death of a parked agent',
      bodies: [mayTimeOut, unparks(1), (agent) => recover(agent, 0)],
      options: ALL,
      mayCrash: [0],
    }),
    make({
      name: 'death of a parked agent beside another',
      bodies: [mayTimeOut, parks(), unparks(2), (agent) => recover(agent, 0)],
      options: ONE,
      mayCrash: [0],
    }),
  ];
}

export const MODELS: readonly Model[] = [
  { name: 'park', entry: new URL('entry.ts', import.meta.url), cases: parkCases, mutants: PARK_MUTANTS },
];
