// The common part of a remote once and a remote lazy: attempts to initialise, and waits for an attempt that succeeds.

import { hasCode, UnsupportedError, type WaitOptions } from '@sluice/core';
import { checkTimeout, threadBudget } from '@sluice/core/calls';
import type { Request } from '../session/local-waiters.ts';
import { leaseLost, type Grant } from '../session/grant.ts';
import { RemoteGuard } from './guard.ts';
import { Done, type RemoteOnceLine } from '../line/once-line.ts';
import { reportOnce, type RemoteAttemptsReport } from '../report/once-report.ts';
import type { Timing } from '../engine/timing.ts';
import { withBounds } from '../session/wait-bounds.ts';
import { WallClock } from './wall-clock.ts';
import type { Namespace } from './namespace.ts';

export class RemoteAttempts {
  readonly line: RemoteOnceLine;
  readonly #space: Namespace;
  readonly #request: Request;
  readonly #timing: Timing;
  #kept: string | undefined;

  constructor(space: Namespace, line: RemoteOnceLine, request: Request, timing: Timing) {
    this.line = line;
    this.#space = space;
    this.#request = request;
    this.#timing = timing;
  }

  /**
   * The text that the server stores for the attempt that succeeded. `undefined` if this process does not know of one.
   */
  get kept(): string | undefined {
    return this.#kept;
  }

  /** Whether an attempt has succeeded. Sends no command if this process already knows that one has. */
  get isDone(): Promise<boolean> {
    if (this.#kept !== undefined) return Promise.resolve(true);
    return this.report().then(({ state }) => state === 'done');
  }

  /**
   * Resolves with the grant under which to run an initialiser, or with `undefined` when an attempt has succeeded. With
   * `permits` 0 the call only waits.
   */
  async enter(permits: 0 | 1, given: WaitOptions): Promise<Grant | undefined> {
    // Without a time the call is sent without a pause.
    const options = permits === 0 || this.line.at === undefined ? given : await this.#untilDue(given, this.line.at);
    if (this.#kept !== undefined) {
      // Only these calls do not ask the server. A loop of them must let the event loop turn.
      const later = threadBudget.spend();
      if (later !== undefined) await later;
      return undefined;
    }
    try {
      const grant = await this.#request(this.line, permits, options);
      if (grant === undefined) throw this.line.timedOut(permits, 0);
      return grant;
    } catch (failure) {
      if (!(failure instanceof Done)) throw failure;
      this.#kept = failure.kept;
      return undefined;
    }
  }

  /**
   * Enters as `enter` does, for at most `timeout` ms. Resolves with `null` if that time elapses. Rejects with
   * `TypeError` or `RangeError` for a wrong `timeout`.
   */
  async tryEnter(permits: 0 | 1, timeout: number): Promise<Grant | null | undefined> {
    checkTimeout(timeout);
    try {
      return await this.enter(permits, { timeout });
    } catch (failure) {
      if (hasCode(failure, 'SLUICE_TIMEOUT')) return null;
      throw failure;
    }
  }

  /** Runs an initialiser under `grant`. `body` resolves with the text that the server is to store. */
  async run(grant: Grant, body: (guard: RemoteGuard) => Promise<string>): Promise<void> {
    try {
      // The attempt ends with the promise. Releasing the guard does nothing.
      await this.#finish(grant, await body(new RemoteGuard(grant, () => Promise.resolve())));
    } catch (failure) {
      // The caller must see the failure of the initialiser.
      await grant.release().catch(() => undefined);
      throw failure;
    }
  }

  /**
   * Runs an initialiser under `grant` after the server has stored `kept`. So no other process runs one, even if this
   * process dies. If it is unknown whose text the server has stored, rejects with `LeaseLostError` and runs nothing.
   */
  async runStored(grant: Grant, kept: string, body: (guard: RemoteGuard) => unknown): Promise<void> {
    const stored = await this.#finish(grant, kept).catch(async (failure: unknown) => {
      await grant.release().catch(() => undefined);
      throw failure;
    });
    if (!stored) throw leaseLost(this.line.title, 'another process may have run it');
    await body(new RemoteGuard(grant, () => Promise.resolve()));
  }

  /** Resolves with the report over all processes. */
  async report(): Promise<RemoteAttemptsReport> {
    const report = reportOnce(this.line.name, await this.#space.ask('look', this.line.key));
    return this.line.at === undefined ? report : { ...report, state: await this.#stateOfJob(report) };
  }

  close(): Promise<void> {
    return this.#space.shut(this.line);
  }

  blocks(instead: string): UnsupportedError {
    return new UnsupportedError(`${this.line.title} is on a server, so no thread can block on it: use ${instead}.`);
  }

  /** Waits until the clock of this process has reached the time of a job. Resolves with what is left of the options. */
  async #untilDue(options: WaitOptions, at: number): Promise<WaitOptions> {
    if (this.#timing.wall() >= at || this.#kept !== undefined) return options;
    const { timeout = Infinity } = options;
    if (timeout === 0) throw this.line.timedOut(1, 0);
    const began = this.#timing.now();
    const clock = new WallClock(this.#timing, at);
    try {
      await withBounds(clock.reached, this.#timing, options, () => this.line.timedOut(1, timeout), began);
    } finally {
      clock.stop();
    }
    return { ...options, timeout: Math.max(1, timeout - (this.#timing.now() - began)) };
  }

  /** Resolves with the state for this time. `look` says only that the job has run, and not for which time. */
  async #stateOfJob({ runner }: RemoteAttemptsReport): Promise<RemoteAttemptsReport['state']> {
    try {
      if ((await this.tryEnter(0, 0)) !== null) return 'done';
    } catch (failure) {
      if (!hasCode(failure, 'SLUICE_CLOSED')) throw failure;
      return 'closed';
    }
    return runner === undefined ? 'idle' : 'running';
  }

  /** Resolves with whether the server has certainly stored the text of this attempt. */
  async #finish(grant: Grant, kept: string): Promise<boolean> {
    grant.assertHeld();
    const { reply } = await grant.session.call('finish', [this.line.key, grant.seq, kept]);
    const [answer, before] = reply;
    if (answer === 'closed') throw this.line.closed();
    if (answer === 'absent') throw leaseLost(this.line.title, 'the server has lost the grant');
    grant.session.drop(grant.seq);
    this.#kept = answer === 'done' ? before : kept;
    return answer === 'finished';
  }
}
