// The bridge: a semaphore in shared memory that one thread feeds with permits from the server.
//
//   word                       meaning                                          written by
//   the shared semaphore       units in this process that no worker holds       this thread, workers
//   the bell                   rung by a worker that has to wait                workers; this thread takes its permits
//   deadline (int32)           when the lease ends, in 10 ms since `epoch`      this thread
//
// 1. Units in circulation here = grants that this thread holds at the server. It adds a unit after a grant, and takes
//    one out before it releases a grant.
// 2. This thread takes units out through the shared semaphore's own line. Workers that waited before it are served
//    first. Later workers wait behind it. So another process waits for at most the workers that were in line when it
//    asked.
// 3. A worker may ring the bell before it is in line, and may die in between. So this thread also checks without a
//    bell, every `lookMs`. Its actions depend only on the state that it finds, so an extra check changes nothing.
// 4. All waits take one unit. With weights, a worker at the head of the line could collect a part of its permits here
//    while another process collects the rest: both would wait for ever. A bridge with `weight` n asks the server for n
//    permits at once.

import {
  Arena,
  hasCode,
  Region,
  Semaphore,
  type RegionHandle,
  type SemaphoreHandle,
  type WaitOptions,
} from '@sluice/core';
import { checkInteger, checkOptions, INSPECT, MAX_PERMITS, show } from '@sluice/core/calls';
import type { Request } from '../session/local-waiters.ts';
import type { Grant } from '../session/grant.ts';
import type { RemotePrimitive } from '../line/remote-primitive.ts';
import { RemoteSemaphore } from '../primitives/semaphore.ts';
import type { Timing } from '../engine/timing.ts';

export interface BridgeOptions {
  /** The number of permits of the remote semaphore that one `acquire` takes. Default: 1. */
  readonly weight?: number | undefined;
  /** The time that this process keeps an unused unit while no other process waits for it, in ms. Default: 100. */
  readonly linger?: number | undefined;
  /** The arena that contains the shared semaphore. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
}

/** Post this to a worker and give it to `BridgedSemaphore.from` there. */
export interface BridgeHandle {
  readonly kind: 'sluice.redis-bridge';
  readonly title: string;
  readonly semaphore: SemaphoreHandle;
  readonly bell: SemaphoreHandle;
  readonly deadline: RegionHandle;
  readonly epoch: number;
}

/** The unit of the deadline. In this unit an int32 lasts for 248 days. */
export const DEADLINE_UNIT_MS = 10;
const LOOK_MS = 250;
const LOOKS_PER_LEASE = 6;
const ONE: WaitOptions = { ref: false };

/**
 * Lets worker threads block on a semaphore of the server. It is a semaphore in shared memory that this thread feeds
 * with permits. `space.bridge` creates it.
 *
 * Workers open it with `BridgedSemaphore.from(bridge.handle)`.
 */
export class Bridge {
  readonly handle: BridgeHandle;
  readonly #line: RemotePrimitive;
  readonly #request: Request;
  readonly #timing: Timing;
  readonly #weight: number;
  readonly #linger: number;
  readonly #shared: Semaphore;
  readonly #bell: Semaphore;
  readonly #deadline: Int32Array;
  /** The grants in circulation. For some of them a unit is being taken out. */
  readonly #grants = new Set<Grant>();
  readonly #leaving = new Set<Grant>();
  readonly #requests = new Set<AbortController>();
  #idleSince = Infinity;
  #closing: Promise<void> | undefined;
  #ended = false;

  /** @internal */
  constructor(
    line: RemotePrimitive,
    request: Request,
    timing: Timing,
    { weight = 1, linger = 100, arena = Arena.default() }: BridgeOptions,
  ) {
    this.#line = line;
    this.#request = request;
    this.#timing = timing;
    this.#weight = weight;
    this.#linger = linger;
    this.#shared = Semaphore.create(0, { arena, name: line.name.slice(0, 15) });
    this.#bell = Semaphore.create(0, { arena, recovery: false });
    const region = Region.create(4, { arena });
    this.#deadline = region.int32;
    this.handle = {
      kind: 'sluice.redis-bridge',
      title: `Bridge to ${line.title}`,
      semaphore: this.#shared.handle,
      bell: this.#bell.handle,
      deadline: region.handle,
      epoch: timing.wall(),
    };
    line.onAsked = () => this.#giveAsked();
    void this.#watch();
  }

  /** The number of units in this process, used or not. */
  get units(): number {
    return this.#grants.size;
  }

  /**
   * Takes each unit back as soon as a worker releases it, and releases all at the server. Then waiting workers get
   * `ClosedError`.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [INSPECT](): string {
    return `Bridge { of: '${this.#line.name}', units: ${this.units} }`;
  }

  async #watch(): Promise<void> {
    while (!this.#ended) {
      try {
        await this.#bell.acquireAsync(1, { ref: false, timeout: this.#lookMs() });
        this.#bell.drain();
      } catch (failure) {
        if (!hasCode(failure, 'SLUICE_TIMEOUT')) return;
      }
      this.#look();
    }
  }

  #lookMs(): number {
    const lease = this.#grants.values().next().value?.session.lease ?? Infinity;
    return Math.min(LOOK_MS, lease / LOOKS_PER_LEASE, Math.max(this.#linger, 1));
  }

  /** Compares the number of waiting workers with the requests under way and with the idle units. */
  #look(): void {
    if (this.#ended) return;
    this.#renew();
    const waiting = this.#shared.waiting - this.#leaving.size;
    const most = Math.floor(this.#line.permits / this.#weight) - this.#grants.size;
    const wanted = this.#closing === undefined ? Math.max(0, Math.min(waiting, most)) : 0;
    while (this.#requests.size < wanted) this.#ask();
    for (const request of [...this.#requests].slice(Math.max(0, waiting))) {
      this.#requests.delete(request);
      request.abort();
    }
    this.#lookForIdle();
  }

  /** Gives back units that no worker has used for `linger` ms. */
  #lookForIdle(): void {
    if (this.#grants.size === this.#leaving.size || this.#shared.available === 0) {
      this.#idleSince = Infinity;
      return;
    }
    const now = this.#timing.now();
    this.#idleSince = Math.min(this.#idleSince, now);
    if (now - this.#idleSince < this.#linger) return;
    for (const grant of this.#grants) {
      if (this.#leaving.has(grant)) continue;
      if (!this.#shared.tryAcquire()) return;
      this.#release(grant);
    }
  }

  #ask(): void {
    const request = new AbortController();
    this.#requests.add(request);
    this.#request(this.#line, this.#weight, { signal: request.signal, ref: false }).then(
      (grant) => {
        this.#requests.delete(request);
        if (grant !== undefined) this.#feed(grant);
      },
      (failure: unknown) => {
        // A cancelled request is no failure. After any other failure no unit will come, and the workers must learn it.
        if (this.#requests.delete(request)) this.#end(failure);
      },
    );
  }

  #feed(grant: Grant): void {
    if (this.#ended) return void grant.release().catch(() => undefined);
    this.#grants.add(grant);
    grant.signal.addEventListener('abort', () => this.#end(grant.signal.reason), { once: true });
    this.#renew();
    this.#shared.release();
    if (grant.asked || this.#closing !== undefined) this.#giveBack(grant);
  }

  #giveAsked(): void {
    for (const grant of this.#grants) if (grant.asked) this.#giveBack(grant);
  }

  /** Takes one unit out of the shared semaphore, in its line, and releases the grant. */
  #giveBack(grant: Grant): void {
    if (this.#leaving.has(grant) || this.#ended) return;
    this.#leaving.add(grant);
    this.#shared.acquireAsync(1, ONE).then(
      () => this.#release(grant),
      () => undefined,
    );
  }

  #release(grant: Grant): void {
    this.#grants.delete(grant);
    this.#leaving.delete(grant);
    const released = this.#ended ? Promise.resolve() : grant.release();
    released.catch((reason: unknown) => this.#end(reason));
    if (!this.#ended) this.#look();
  }

  /** Writes the end of the lease, for workers that read it. */
  #renew(): void {
    const grant = this.#grants.values().next().value;
    if (grant !== undefined)
      this.#deadline[0] = Math.floor((grant.session.wallDeadline - this.handle.epoch) / DEADLINE_UNIT_MS);
  }

  /** Ends the bridge: the lease is lost, or the server refuses calls. The units no longer have permits behind them. */
  #end(reason: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#deadline[0] = 0;
    this.#shared.close();
    this.#bell.close();
    for (const request of this.#requests) request.abort(reason);
    for (const grant of this.#grants) grant.release().catch(() => undefined);
    this.#grants.clear();
  }

  async #close(): Promise<void> {
    for (const request of this.#requests) request.abort();
    this.#requests.clear();
    for (const grant of this.#grants) this.#giveBack(grant);
    while (this.#grants.size > 0 && !this.#ended) {
      await new Promise<void>((resolve) => this.#timing.after(1, resolve, true));
    }
    this.#end(undefined);
  }
}

/** Returns the options if they fit the semaphore. */
export function checkBridge(semaphore: unknown, options: BridgeOptions): BridgeOptions {
  if (!(semaphore instanceof RemoteSemaphore))
    throw new TypeError(`bridge takes a semaphore of this space: received ${show(semaphore)}`);
  checkOptions(options, ['weight', 'linger', 'arena']);
  const { weight, linger } = options;
  if (weight !== undefined) checkInteger('weight', weight, 1, semaphore.permits);
  if (linger !== undefined) checkInteger('linger', linger, 0, MAX_PERMITS);
  return options;
}
