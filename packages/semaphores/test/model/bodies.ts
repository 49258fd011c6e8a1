// What agents do at a semaphore with several lines, and what they are told.

import { STUCK, type Words } from '@sluice/model';
import { TICKET } from '../../../core/src/kernel/layout.ts';
import type * as Base from '../../../core/test/model/entry.ts';
import { recover, type Someone } from '../../../address-wait/test/model/condition-world.ts';
import { behind } from './front-accounts.ts';

export type BaseCore = typeof Base;
export type Body<Core extends BaseCore> = (agent: Someone<Core>) => unknown;

/** Being told that it is closed is an answer like any other. */
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

/** So is that there would be more than the bound allows. */
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

/** Comes when so many have drawn a ticket in that line behind the front. */
export const afterTickets =
  <Core extends BaseCore>(tickets: number, line: number, body: Body<Core>): Body<Core> =>
  (agent) => {
    const { words } = agent.ctx;
    agent.ctx.until(() => words.load64(behind(line) + TICKET) >= BigInt(tickets));
    return body(agent);
  };

/** That agent was told of the close. */
export const closed =
  (agent: number) =>
  (_: Words, outcomes: readonly unknown[]): string | undefined =>
    outcomes[agent] === 'closed' ? undefined : 'a waiter was not told that it is closed';

/** One agent waits for ever, as nothing is there for it, and no other does. */
export const onlyStuck =
  (agent: number) =>
  (_: Words, outcomes: readonly unknown[]): string | undefined => {
    const found = [...outcomes.keys()].filter((index) => outcomes[index] === STUCK);
    return String(found) === String(agent) ? undefined : `agents ${String(found)} wait for ever`;
  };
