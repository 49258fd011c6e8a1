// One wait for the end of a round of a latch or a barrier, from its sequence number to an ending or a failure.
//
//   state     means                                                             next
//   sent      `arrive` was sent; its answer is outstanding                      inLine, done, left, leaving
//   inLine    the server has it in line                                         done, left, leaving
//   leaving   a party gave up; the server says whether the round ended first    done
//   left      a waiter of a latch gave up: its promise has settled              -
//   done      its promise has settled                                           -
//
// All parties of a generation have the same outcome, and only the server knows it. So the promise of a party that gives
// up does not settle until the server has answered, or its lease has ended. A waiter of a latch changes nothing when it
// leaves, so its promise settles at once.
//
// As for a semaphore (wait.ts), the `cancel` is sent after the answer of `arrive`.

import type { WaitOptions } from '@sluice/core';
import { NotRun } from '../engine/errors.ts';
import { WaitBounds, type BoundedCall, type Settlement } from './wait-bounds.ts';
import type { RoundLine } from '../line/round-line.ts';
import type { Session } from './session.ts';
import type { Timing } from '../engine/timing.ts';

const SENT = 0;
const IN_LINE = 1;
const LEAVING = 2;
const LEFT = 3;
const DONE = 4;
type State = typeof SENT | typeof IN_LINE | typeof LEAVING | typeof LEFT | typeof DONE;

/** The end of a wait, with a code of the steps of rounds. */
export interface RoundEnd {
  readonly seq: number;
  readonly code: number;
}

export class RoundWait {
  readonly line: RoundLine;
  readonly seq: number;
  /** 1 if this process has an action to run if it arrives last. */
  readonly acts: 0 | 1;
  readonly #session: Session;
  readonly #options: WaitOptions;
  readonly #bounds: WaitBounds;
  readonly #settle: (ending: RoundEnd | undefined) => void;
  readonly #reject: (reason: unknown) => void;
  #state: State = SENT;
  /** The reason why the caller gave up. */
  #reason: unknown;
  /** Whether the server was asked to end the wait. */
  #asked = false;

  /**
   * Begins a wait that settles once: with its ending, with `undefined` if it is not allowed to wait and would have to,
   * or with a failure. `began` is the time of the call.
   */
  static begin(
    session: Session,
    timing: Timing,
    line: RoundLine,
    options: WaitOptions,
    acts: boolean,
    began: number,
  ): Promise<RoundEnd | undefined> {
    return new Promise((resolve, reject) => {
      const wait = new RoundWait(session, line, acts, { timing, options, began }, { resolve, reject });
      wait.#bounds.begin();
      session.rounds.list(wait);
      wait.enqueue();
    });
  }

  private constructor(
    session: Session,
    line: RoundLine,
    acts: boolean,
    { timing, options, began }: BoundedCall,
    { resolve, reject }: Settlement<RoundEnd | undefined>,
  ) {
    this.#session = session;
    this.line = line;
    this.seq = session.nextSeq();
    this.acts = acts ? 1 : 0;
    this.#options = options;
    this.#bounds = new WaitBounds(
      timing,
      options,
      (reason) => this.#giveUp(reason),
      () => line.timedOut(options.timeout ?? 0),
      began,
    );
    this.#settle = resolve;
    this.#reject = reject;
  }

  /** Whether the server has the wait in line, as far as this process knows. */
  get inLine(): boolean {
    return this.#state === IN_LINE;
  }

  /**
   * Whether only the server's answer to `cancel` may end the wait. Its action must not run: if a generation waits for
   * the action, this call breaks the generation.
   */
  get asked(): boolean {
    return this.#asked;
  }

  end(code: number): void {
    if (this.#finish(DONE)) this.#settle({ seq: this.seq, code });
  }

  fail(reason: unknown): void {
    if (this.#finish(DONE)) this.#reject(reason);
  }

  /** Sends `arrive`. Also called if the server does not know the wait: after a failover the wait has lost its place. */
  enqueue(): void {
    const { rounds } = this.#session;
    const { key, made } = this.line;
    this.#state = SENT;
    const learned = rounds.takeLearned(key);
    const args = [key, this.seq, this.#options.timeout === 0 ? 0 : 1, this.acts, rounds.seen(key), ...made, ...learned];
    this.#session
      .call('arrive', args, this.#options.ref ?? true, () => this.#state === SENT)
      .then(
        ({ reply }) => this.#answered(reply),
        (failure: unknown) => {
          rounds.putBack(key, learned);
          if (this.#state === LEAVING) this.#ask();
          else if (this.#state === LEFT) this.#abandon();
          else this.fail(failure);
        },
      );
  }

  #answered(reply: readonly string[]): void {
    const [answer, detail = '', round = ''] = reply;
    if (this.#state === LEFT) return this.#abandon();
    if (this.#state === DONE) return;
    if (answer === 'ended') this.#session.rounds.ended(this.seq, Number(detail), Number(round));
    else if (answer === 'waiting') this.#waits(Number(detail));
    else if (answer === 'busy') this.#refused();
    else if (answer === 'empty') this.fail(this.line.noParties());
    else this.fail(this.line.otherSize(detail));
  }

  #waits(round: number): void {
    this.#session.rounds.saw(this.line, round);
    // The session fails waits in line when it ends. This one may have been answered in the same turn, or too late.
    const { ended } = this.#session;
    if (ended !== undefined) return this.fail(ended);
    if (this.#state === LEAVING) this.#ask();
    else this.#state = IN_LINE;
  }

  #refused(): void {
    if (this.#state === LEAVING) this.fail(this.#reason);
    else if (this.#finish(DONE)) this.#settle(undefined);
  }

  #giveUp(reason: unknown): void {
    const wasInLine = this.#state === IN_LINE;
    if (!this.line.isBarrier) {
      if (!this.#finish(LEFT)) return;
      this.#reject(reason);
      if (wasInLine) this.#abandon();
    } else if (this.#state < LEAVING) {
      this.#state = LEAVING;
      this.#reason = reason;
      if (wasInLine) this.#ask();
    }
  }

  /** Leaves the barrier, unless the round has ended. */
  #ask(): void {
    this.#asked = true;
    this.#session.call('cancel', [this.line.key, this.seq, this.acts], this.#options.ref ?? true).then(
      ({ reply: [answer, code = '', round = ''] }) => {
        if (answer === 'ended') this.#session.rounds.ended(this.seq, Number(code), Number(round));
        else this.fail(this.#reason);
      },
      // The wait had a place in line, so the caller has lost something.
      (failure: unknown) => this.fail(failure instanceof NotRun ? failure.cause : failure),
    );
  }

  /** Leaves a latch for which no caller waits any more. */
  #abandon(): void {
    this.#session.abandon(this.line.key, this.seq, this.acts);
  }

  #finish(state: State): boolean {
    if (this.#state >= LEFT) return false;
    this.#state = state;
    this.#session.rounds.unlist(this);
    this.#bounds.end();
    return true;
  }
}
