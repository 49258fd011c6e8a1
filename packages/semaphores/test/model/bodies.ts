// Bodies of agents at a semaphore with several lines, and checks of their outcomes.

import { STUCK, type Words } from '@sluice/model';
import { TICKET } from '../../../core/src/kernel/layout.ts';
import type * as Base from '../../../core/test/model/entry.ts';
import { recover, type Someone } from '../../../core/test/model/condition-world.ts';
import { behind } from './front-accounts.ts';

export type BaseCore = typeof Base;
export type Body<Core extends BaseCore> = (agent: Someone<Core>) => unknown;

/** Like `body`, but returns normally if the semaphore is closed. */
export const orClosed =
  <Core extends BaseCore>(body: Body<Core>): Body<Core> =>
  (agent) => {
    try {
      return body(agent);
    } catch (error) {
      if (agent.core.hasCode(error, 'SLUICE_CLOSED')) return 'closed';
      throw error;
    }
  };

/** Like `body`, but returns normally if a release exceeds the maximum. */
export const orFull =
  <Core extends BaseCore>(body: Body<Core>): Body<Core> =>
  (agent) => {
    try {
      return body(agent);
    } catch (error) {
      if (error instanceof RangeError) return 'full';
      throw error;
    }
  };

export const recovering =
  (...victims: readonly number[]): Body<BaseCore> =>
  (agent) =>
    recover(agent, ...victims);

export const both =
  <Core extends BaseCore>(first: Body<Core>, second: Body<Core>): Body<Core> =>
  (agent) => {
    first(agent);
    return second(agent);
  };

/** Arrives when that many agents have drawn a ticket in that line behind the front. */
export const afterTickets =
  <Core extends BaseCore>(tickets: number, line: number, body: Body<Core>): Body<Core> =>
  (agent) => {
    const { words } = agent.ctx;
    agent.ctx.until(() => words.load64(behind(line) + TICKET) >= BigInt(tickets));
    return body(agent);
  };

/** Checks that the agent was told of the close. */
export const closed =
  (agent: number) =>
  (_: Words, outcomes: readonly unknown[]): string | undefined =>
    outcomes[agent] === 'closed' ? undefined : 'a waiter was not told that it is closed';

/** Checks that exactly one agent waits forever, because no permit is left for it. */
export const onlyStuck =
  (agent: number) =>
  (_: Words, outcomes: readonly unknown[]): string | undefined => {
    const found = [...outcomes.keys()].filter((index) => outcomes[index] === STUCK);
    return String(found) === String(agent) ? undefined : `agents ${String(found)} wait forever`;
  };
