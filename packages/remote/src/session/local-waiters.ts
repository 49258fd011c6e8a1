// The waiters of this process in front of the server's line. The front bounds the number of them that one grant may
// serve.
//
// With `bypass` 1, `linger` 0 and no priorities there is no front: every wait is in the server's line. Otherwise
//
// 1. Local waiters are served by priority, and in FIFO order within one priority.
// 2. A grant serves at most `bypass` local callers. Then it goes back to the server, which grants it to the next
//    session in line. With `linger` local callers are counted only after another session has asked for the grant. Until
//    then the grant stays.
// 3. An idle grant goes back at once. With `linger` it goes back when another session asks, or after `linger` ms.
// 4. Requests at the server never outnumber the local waiters: a surplus request is cancelled.
//
// This is lock cohorting (Dice, Marathe, Shavit), with the capacitor's bound.

import type { WaitOptions } from '@sluice/core';
import type { Grant } from './grant.ts';
import type { RemotePrimitive } from '../line/remote-primitive.ts';
import { WaitBounds } from './wait-bounds.ts';
import { RankedWaiters, type RankedWaiter } from './ranked-waiters.ts';
import type { Timer, Timing } from '../engine/timing.ts';

/** Makes one wait at the server. `began` is the time of the call, if it has waited before. */
export type Request = (
  line: RemotePrimitive,
  permits: number,
  options: WaitOptions,
  began?: number,
) => Promise<Grant | undefined>;

export interface FrontOptions {
  readonly bypass: number;
  readonly linger: number;
  /** Whether waits may have priorities. Then all of them are served by the front. */
  readonly ranks?: boolean;
}

interface LocalWaiter extends RankedWaiter {
  readonly resolve: (grant: Grant) => void;
  readonly reject: (reason: unknown) => void;
  readonly bounds: WaitBounds;
}

export class LocalWaiters {
  readonly #line: RemotePrimitive;
  readonly #request: Request;
  readonly #timing: Timing;
  readonly #bypass: number;
  readonly #linger: number;
  readonly #ranks: boolean;
  readonly #waiters = new RankedWaiters<LocalWaiter>();
  readonly #requests = new Set<AbortController>();
  readonly #idle = new Map<Grant, Timer | undefined>();
  /** The grants that local callers hold, without grants that were requested past the front. */
  readonly #inUse = new Set<Grant>();

  constructor(
    line: RemotePrimitive,
    request: Request,
    timing: Timing,
    { bypass, linger, ranks = false }: FrontOptions,
  ) {
    this.#ranks = ranks;
    this.#line = line;
    this.#request = request;
    this.#timing = timing;
    this.#bypass = bypass;
    this.#linger = linger;
    line.onAsked = () => this.#giveIdle();
  }

  /** The number of local waiters without a grant. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Waits for a grant. Resolves with `undefined` if the call is not allowed to wait and nothing is free. */
  take(permits: number, options: WaitOptions, priority = 0): Promise<Grant | undefined> {
    // Several permits at once are gathered at the server: each such wait has a place of its own there.
    const hasFront = this.#ranks || this.#bypass > 1 || this.#linger > 0;
    if (permits > 1 || !hasFront) return this.#request(this.#line, permits, options);
    const idle = this.#waiters.size === 0 ? this.#takeIdle() : undefined;
    if (idle !== undefined) return Promise.resolve(this.#serve(idle));
    if (options.timeout === 0) return this.#waiters.size > 0 ? Promise.resolve(undefined) : this.#try(options);
    return new Promise((resolve, reject) => {
      const timedOut = (): Error => this.#line.timedOut(permits, options.timeout ?? 0);
      const local: LocalWaiter = {
        priority,
        resolve,
        reject,
        bounds: new WaitBounds(this.#timing, options, (reason) => this.#giveUp(local, reason), timedOut),
      };
      local.bounds.begin();
      this.#waiters.add(local);
      this.#pump();
    });
  }

  /** Takes a grant back from a local caller, for the next local waiter or for the server. */
  async give(grant: Grant, keeps = 0): Promise<void> {
    if (!this.#inUse.delete(grant)) return grant.release(keeps);
    if (grant.lost) return grant.release();
    await this.#pass(grant);
  }

  #pass(grant: Grant): Promise<void> | undefined {
    const sticky = this.#linger > 0 && !grant.asked;
    const next = this.#first();
    if (next !== undefined && (sticky || grant.passes < this.#bypass)) {
      this.#waiters.delete(next);
      next.bounds.end();
      next.resolve(this.#serve(grant));
      this.#pump();
      return undefined;
    }
    if (next === undefined && sticky) {
      this.#idle.set(
        grant,
        this.#timing.after(this.#linger, () => this.#giveIdle(grant), false),
      );
      return undefined;
    }
    const released = grant.release();
    // After the release, so that this session's next place is behind the sessions that already wait.
    this.#pump();
    return released;
  }

  #serve(grant: Grant): Grant {
    grant.passes++;
    this.#inUse.add(grant);
    return grant;
  }

  #first(): LocalWaiter | undefined {
    return this.#waiters.first;
  }

  #takeIdle(): Grant | undefined {
    for (const [grant, timer] of this.#idle) {
      timer?.stop();
      this.#idle.delete(grant);
      if (!grant.lost) return grant;
    }
    return undefined;
  }

  #giveIdle(only?: Grant): void {
    for (const [grant, timer] of this.#idle) {
      if (only !== undefined && grant !== only) continue;
      timer?.stop();
      this.#idle.delete(grant);
      grant.release().catch(() => undefined);
    }
  }

  async #try(options: WaitOptions): Promise<Grant | undefined> {
    const grant = await this.#request(this.#line, 1, options);
    return grant === undefined ? undefined : this.#serve(grant);
  }

  #giveUp(local: LocalWaiter, reason: unknown): void {
    if (!this.#waiters.delete(local)) return;
    local.bounds.end();
    local.reject(reason);
    this.#pump();
  }

  /** Keeps as many requests at the server as the local waiters can use. */
  #pump(): void {
    // With `linger`, a grant in use will serve the waiters behind its holder.
    const most = this.#line.permits - (this.#linger > 0 ? this.#inUse.size : 0);
    const wanted = Math.min(this.#waiters.size, most);
    while (this.#requests.size < wanted) this.#ask();
    for (const request of [...this.#requests].slice(this.#waiters.size)) {
      this.#requests.delete(request);
      request.abort();
    }
  }

  #ask(): void {
    const request = new AbortController();
    this.#requests.add(request);
    // The timers of the local waiters decide whether the process stays alive.
    this.#request(this.#line, 1, { signal: request.signal, ref: false }).then(
      (grant) => {
        this.#requests.delete(request);
        if (grant !== undefined) this.#pass(grant)?.catch(() => undefined);
      },
      (failure: unknown) => {
        if (!this.#requests.delete(request)) return;
        const first = this.#first();
        if (first !== undefined) this.#giveUp(first, failure);
      },
    );
  }
}
