// One step over a state: its time, its caller, and the messages that it sends.
//
// 1. The logical clock never decreases, and one step advances it by at most `cap`. So if the wall clock jumps forward,
//    or no server ran for a time, no lease ends that is renewed in time.
// 2. A token is greater than every earlier token of the namespace, because it is greater than `token`. It is at least
//    the wall clock, so this still holds if the state was lost.
// 3. A step writes the clock only if at least 10 ms have passed since the last write, or if the wall clock went back.
//    The scripts for Redis do the same, so both engines give the same answers.

import type { State } from './state.ts';

export type Send = (session: string, message: string) => void;

export class Step {
  readonly state: State;
  readonly send: Send;
  /** The wall clock in µs. */
  readonly us: number;
  /** The logical clock in ms. */
  readonly now: number;
  /** The session that called. */
  readonly me: string;
  /** Whether the step writes the clock. */
  readonly moves: boolean;

  constructor(state: State, send: Send, us: number, me: string) {
    this.state = state;
    this.send = send;
    this.us = us;
    this.me = me;
    const { real, log, cap } = state;
    const gone = real < 0 ? 0 : us - real;
    this.now = log + Math.max(0, Math.min(gone / 1000, cap));
    this.moves = gone < 0 || gone >= 10_000 || real < 0;
  }

  /** Writes the clock. */
  end(): void {
    if (!this.moves) return;
    this.state.real = this.us;
    this.state.log = round3(this.now);
  }

  nextToken(): number {
    this.state.token = Math.max(this.state.token + 1, this.us);
    return this.state.token;
  }
}

/** Times are kept to the µs. */
export function round3(ms: number): number {
  return Number(ms.toFixed(3));
}
