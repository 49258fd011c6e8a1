// Clients that call the real limit in virtual time. Time is the server's: it advances when a call ends there.

import { expect } from 'vitest';
import { createControlledLimit } from '../../../src/control/open-control.ts';
import type { AdaptiveLimitOptions, Limit } from '../../../src/index.ts';
import { turns } from '../../support/gate.ts';
import type { Server } from './server.ts';

/** A limit whose clock is that of the server. */
export function limitOf(server: Server, options: AdaptiveLimitOptions): Limit {
  return createControlledLimit(options, clockOf(server));
}

export function clockOf(server: Server): () => number {
  return () => 1_000_000 + server.now;
}

export class Loop {
  /** How many clients make calls. Others pause. */
  clients: number;
  readonly #server: Server;
  readonly #limits: readonly Limit[];
  #isOver = false;
  /** The calls that began under a larger size, and still run. */
  #most = 0;

  /** Starts `clients` clients. Each makes one call after the other, through one of the limits. */
  constructor(server: Server, limits: readonly Limit[], clients: number) {
    this.#server = server;
    this.#limits = limits;
    this.clients = clients;
    for (let client = 0; client < clients; client++) void this.#call(client);
  }

  get size(): number {
    return (this.#limits[0] as Limit).concurrency;
  }

  /** Ends that many calls at the server, one at a time. Returns the sizes after each of them. */
  async run(calls: number): Promise<number[]> {
    const sizes: number[] = [];
    for (let call = 0; call < calls; call++) {
      await this.#fill();
      this.#most = Math.max(this.size, this.#server.inFlight - 1);
      this.#server.next();
      sizes.push(this.size);
      await turns(1);
      // A call may begin only while fewer run than the size says.
      expect(this.#server.inFlight).toBeLessThanOrEqual(Math.max(this.#most, this.size));
    }
    await this.#fill();
    return sizes;
  }

  /** Ends all calls, and frees the limit. */
  async end(): Promise<void> {
    this.#isOver = true;
    while (this.#server.inFlight > 0 || this.#limits.some((limit) => limit.activeCount + limit.pendingCount > 0)) {
      if (this.#server.inFlight > 0) this.#server.next();
      await turns(1);
    }
    this.#limits[0]?.free();
  }

  async #call(client: number): Promise<void> {
    const limit = this.#limits[client % this.#limits.length] as Limit;
    while (!this.#isOver && client < this.clients)
      await limit(() => new Promise<void>((done) => this.#server.send(done)));
  }

  /** Lets calls begin until as many run as may. */
  async #fill(): Promise<void> {
    while (this.#server.inFlight < Math.min(this.size, this.clients)) await turns(1);
  }
}
