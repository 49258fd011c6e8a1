// One wait on the server, from its sequence number to a grant or a failure.
//
//   state     means                                                    next
//   sent      `acquire` was sent; its answer is outstanding            inLine, done, left
//   inLine    the server has it in line                                done, left
//   done      granted, or failed                                       -
//   left      the caller gave up: its promise has settled               -
//
// The promise of a caller that gives up settles at once. The `cancel` is sent after the answer of `acquire`. An earlier
// `cancel` could run before the `acquire`, and the `acquire` would leave an abandoned waiter in line. A grant that
// comes in the meantime is given back.

import type { WaitOptions } from '@sluice/core';
import { throwIfAborted } from '@sluice/core/calls';
import { LeaseLostError, NotRun } from '../engine/errors.ts';
import type { Grant } from './grant.ts';
import type { RemotePrimitive } from '../line/remote-primitive.ts';
import { WaitBounds, type BoundedCall, type Settlement } from './wait-bounds.ts';
import type { Session } from './session.ts';
import type { Timer, Timing } from '../engine/timing.ts';

const SENT = 0;
const IN_LINE = 1;
const DONE = 2;
const LEFT = 3;
type State = typeof SENT | typeof IN_LINE | typeof DONE | typeof LEFT;

export class Wait {
  readonly line: RemotePrimitive;
  readonly permits: number;
  readonly seq: number;
  readonly #session: Session;
  readonly #timing: Timing;
  readonly #bounds: WaitBounds;
  readonly #settle: (grant: Grant | undefined) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #options: WaitOptions;
  readonly #waits: boolean;
  #state: State = SENT;
  /** Whether it has had a place in line. */
  #wasInLine = false;
  #due: Timer | undefined;

  /**
   * Begins a wait that settles once: with a grant, with `undefined` if it is not allowed to wait and nothing is free,
   * or with a failure: with `NotRun` if the session ended before the wait had a place in line. `began` is the time of the
   * call.
   */
  static begin(
    session: Session,
    timing: Timing,
    line: RemotePrimitive,
    permits: number,
    options: WaitOptions,
    began: number,
  ): Promise<Grant | undefined> {
    return new Promise((resolve, reject) => {
      // The signal may have been aborted while a session was opened.
      throwIfAborted(options.signal);
      new Wait(session, line, permits, { timing, options, began }, { resolve, reject }).#begin();
    });
  }

  private constructor(
    session: Session,
    line: RemotePrimitive,
    permits: number,
    { timing, options, began }: BoundedCall,
    { resolve, reject }: Settlement<Grant | undefined>,
  ) {
    this.#session = session;
    this.#timing = timing;
    this.line = line;
    this.permits = permits;
    this.seq = session.nextSeq();
    this.#options = options;
    this.#waits = options.timeout !== 0;
    this.#bounds = new WaitBounds(
      timing,
      options,
      (reason) => this.#giveUp(reason),
      () => line.timedOut(permits, options.timeout ?? 0),
      began,
    );
    this.#settle = resolve;
    this.#reject = reject;
  }

  /** Whether the server has the wait in line, as far as this process knows. */
  get inLine(): boolean {
    return this.#state === IN_LINE;
  }

  grant(grant: Grant): void {
    if (this.#finish(DONE)) this.#settle(grant);
  }

  fail(reason: unknown): void {
    if (this.#finish(DONE)) this.#reject(reason);
  }

  /**
   * Sends `acquire`. Also called if the server does not know the wait: after a failover the wait has lost its place.
   */
  enqueue(): void {
    if (this.#state >= DONE) return;
    this.#state = SENT;
    const args = [this.line.key, this.seq, this.permits, this.#waits ? 1 : 0, ...this.line.asked];
    this.#session
      .call(this.line.operation, args, this.#options.ref ?? true, () => this.#state < DONE)
      .then(
        ({ reply }) => this.#answered(reply),
        (failure: unknown) => {
          if (this.#state === LEFT) this.#cancel();
          // It has lost no place. A grant that the session may still have at the engine ends with its lease.
          else if (!this.#wasInLine && failure instanceof LeaseLostError) this.fail(new NotRun(failure));
          else this.fail(failure);
        },
      );
  }

  #begin(): void {
    this.#bounds.begin();
    this.#session.list(this);
    this.enqueue();
  }

  #giveUp(reason: unknown): void {
    const wasInLine = this.#state === IN_LINE;
    if (!this.#finish(LEFT)) return;
    this.#reject(reason);
    if (wasInLine) this.#cancel();
  }

  #answered(reply: readonly string[]): void {
    const [answer, detail = ''] = reply;
    if (this.#state === LEFT) return this.#cancel();
    if (this.#state === DONE) return;
    // The session fails waits in line when it ends. This one may have been answered in the same turn, or too late.
    const { ended } = this.#session;
    if (ended !== undefined)
      return this.fail(!this.#wasInLine && ended instanceof LeaseLostError ? new NotRun(ended) : ended);
    if (answer === 'granted') this.#session.granted(this.seq, detail, reply[2] === '1');
    else if (answer === 'waiting') this.#enqueued(Number(detail));
    else if (answer === 'busy') this.#refused();
    else if (answer === 'closed') this.fail(this.line.closed());
    else if (answer === 'cap' && this.line.resizable) this.#resized(Number(detail));
    else this.fail(this.line.refused(reply));
  }

  /** Makes the server check the line again in `dueMs` ms, when its interval ends. */
  poke(dueMs: number): void {
    this.#due?.stop();
    // The head of a rate holds up the waiters behind it, so it leaves if it would be late.
    if (this.line.isRate && this.#timing.now() + dueMs > this.#bounds.ends)
      return this.#giveUp(this.line.timedOut(this.permits, this.#options.timeout ?? 0));
    this.#due = this.#timing.after(
      dueMs,
      () => {
        this.#session.call('poke', [this.line.key], false).then(
          ({ reply }) => this.#session.takeGrants(reply, 1),
          () => undefined,
        );
      },
      false,
    );
  }

  #enqueued(dueMs: number): void {
    this.#state = IN_LINE;
    this.#wasInLine = true;
    if (dueMs > 0) this.poke(dueMs);
  }

  #refused(): void {
    if (this.#finish(DONE)) this.#settle(undefined);
  }

  #resized(permits: number): void {
    this.line.permits = permits;
    this.enqueue();
  }

  #cancel(): void {
    this.#session.abandon(this.line.key, this.seq, this.permits);
  }

  #finish(state: State): boolean {
    if (this.#state >= DONE) return false;
    this.#state = state;
    this.#session.unlist(this);
    this.#due?.stop();
    this.#bounds.end();
    return true;
  }
}
