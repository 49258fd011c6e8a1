// What agents do at a lightweight or a multilane semaphore.

import { STUCK, type Words } from '@sluice/model';
import { GRANT, TICKET } from '../../../core/src/kernel/layout.ts';
import { recover, type Someone } from '../../../address-wait/test/model/condition-world.ts';
import { behind, FRONT } from './composite-accounts.ts';
import type { CompositeCore } from './composite-world.ts';

export type Agent = Someone<CompositeCore>;
export type Body = (agent: Agent) => unknown;

/** What models do with a semaphore. */
interface Permits {
  acquire(): void;
  tryAcquire(permits?: number, timeoutMs?: number): boolean;
  release(permits?: number): void;
  close(): void;
  waitMany(most: number): number;
  drain(): number;
}

export type ClassName = 'LightweightSemaphore' | 'MultilaneSemaphore';

const policy = { longTermThreshold: 1, spinMicros: 0, buckets: 1 };

export class Bodies {
  readonly #name: ClassName;

  constructor(name: ClassName) {
    this.#name = name;
  }

  readonly pass: Body = (agent) => {
    const own = this.#at(agent);
    own.acquire();
    own.release();
  };

  readonly tryPass: Body = (agent) => {
    const own = this.#at(agent);
    if (own.tryAcquire(1, 1)) own.release();
  };

  /** Does not wait. */
  readonly glance: Body = (agent) => {
    const own = this.#at(agent);
    if (own.tryAcquire()) own.release();
  };

  readonly take: Body = (agent) => this.#at(agent).acquire();
  readonly close: Body = (agent) => this.#at(agent).close();

  readonly give =
    (permits = 1): Body =>
    (agent) =>
      this.#at(agent).release(permits);

  /** One after the other. */
  readonly giveEach =
    (permits: number): Body =>
    (agent) => {
      const own = this.#at(agent);
      for (let given = 0; given < permits; given++) own.release();
    };

  /** Each alone, and then gives all back at once. */
  readonly collect =
    (permits: number): Body =>
    (agent) => {
      const own = this.#at(agent);
      for (let taken = 0; taken < permits; taken++) own.acquire();
      own.release(permits);
    };

  readonly passMany =
    (most: number): Body =>
    (agent) => {
      const own = this.#at(agent);
      own.release(own.waitMany(most));
    };

  readonly drain: Body = (agent) => {
    const own = this.#at(agent);
    const taken = own.drain();
    if (taken > 0) own.release(taken);
  };

  readonly closeAfter: Body = (agent) => {
    recover(agent, 0);
    this.close(agent);
  };

  #at({ core, place }: Agent): Permits {
    return Reflect.construct(core[this.#name], [{ place, policy }]) as Permits;
  }
}

/** Being told that it is closed is an answer like any other. */
export const orClosed =
  (body: Body): Body =>
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
  (body: Body): Body =>
  (agent) => {
    try {
      return body(agent);
    } catch (error) {
      if (error instanceof RangeError) return 'full';
      throw error;
    }
  };

export const recovering =
  (...victims: readonly number[]): Body =>
  (agent) =>
    recover(agent, ...victims);

export const both =
  (first: Body, second: Body): Body =>
  (agent) => {
    first(agent);
    return second(agent);
  };

/** Comes when so many have drawn a ticket in that line behind the front. */
export const afterTickets =
  (tickets: number, line: number, body: Body): Body =>
  (agent) => {
    const { words } = agent.ctx;
    agent.ctx.until(() => words.load64(behind(line) + TICKET) >= BigInt(tickets));
    return body(agent);
  };

/** Comes when a multilane semaphore has numbered so many. */
export const afterArrivals =
  (arrivals: number, body: Body): Body =>
  (agent) => {
    const { words } = agent.ctx;
    agent.ctx.until(() => words.load64(FRONT + TICKET) >= BigInt(arrivals));
    return body(agent);
  };

/** Comes when a multilane semaphore has numbered so many permits. */
export const afterPosts =
  (posts: number, body: Body): Body =>
  (agent) => {
    const { words } = agent.ctx;
    agent.ctx.until(() => words.load64(FRONT + GRANT) >= BigInt(posts));
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
