// Bodies of agents at a lightweight or a multilane semaphore in a model.

import { GRANT, TICKET } from '../../../../core/src/kernel/layout.ts';
import { recover, type Someone } from '../../../../core/test/model/condition-world.ts';
import { FRONT } from '../../../../semaphores/test/model/front-accounts.ts';
import type { CompositeCore } from './composite-world.ts';

export type Agent = Someone<CompositeCore>;
export type Body = (agent: Agent) => unknown;

/** The part of a semaphore that models use. */
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

  /** Makes a non-blocking call. */
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

  /** Runs bodies in turn. */
  readonly giveEach =
    (permits: number): Body =>
    (agent) => {
      const own = this.#at(agent);
      for (let given = 0; given < permits; given++) own.release();
    };

  /** Acquires permits one by one, and then releases all at once. */
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

  #at({ core, ref }: Agent): Permits {
    return Reflect.construct(core[this.#name], [{ ref, policy }]) as Permits;
  }
}

/** Arrives after a multilane semaphore has numbered that many waits. */
export const afterArrivals =
  (arrivals: number, body: Body): Body =>
  (agent) => {
    const { words } = agent.ctx;
    agent.ctx.until(() => words.load64(FRONT + TICKET) >= BigInt(arrivals));
    return body(agent);
  };

/** Arrives after a multilane semaphore has numbered that many permits. */
export const afterPosts =
  (posts: number, body: Body): Body =>
  (agent) => {
    const { words } = agent.ctx;
    agent.ctx.until(() => words.load64(FRONT + GRANT) >= BigInt(posts));
    return body(agent);
  };
