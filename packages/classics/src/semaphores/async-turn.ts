// An async wait for permits.
//
// The waits of one agent at one line share one element (`Sleeper`). It sleeps at the place where the oldest wait is
// woken, because no other wait can have its turn earlier. Waits of one agent settle in the order in which they began,
// whichever line was woken first.

import type { WaitOptions } from '@sluice/core';
import { WAITING, type BucketAddress, type ElementAddress, type Poll } from '@sluice/core/format';
import { keepAlive, letGo, offAbort, onAbort, reasonOf, setAlarm, type Alarm } from '@sluice/core/calls';
import { AsyncWait, Sleeper, type LineState, type WaitErrors } from '@sluice/core/internal';
import type { AgentLine } from './agent-line.ts';

/** The end of a wait: TAKEN, SHUT, or WAITING if it was cancelled for `reason`. */
export interface Ending {
  readonly outcome: Poll;
  readonly reason?: unknown;
}

/** The operations of a wait on its ticket, if it has one. */
export interface Moves {
  /** The element of the wait. 0: none. */
  readonly element: ElementAddress | 0;
  /** Checks whether the wait is over. Returns a verdict, or WAITING. */
  look(): Poll;
  /** Ends the wait with a verdict. With WAITING it cancels the wait. Returns TAKEN, SHUT, or WAITING. */
  end(verdict: Poll): Poll;
}

/** The place where a post wakes the wait. */
export interface AsyncLine extends AgentLine {
  readonly bucket: BucketAddress;
  /** The group of the wait, 0 or more. Waits of one group get their turns in order, so only the oldest is tried. */
  readonly group: number;
  /** Whether each group sleeps separately. Otherwise all groups sleep at the place of the oldest wait. */
  readonly isLane: boolean;
}

/** Waits for a turn. Rejects only with unexpected failures. */
export function awaitTurn(
  agentLine: AsyncLine,
  lineState: LineState,
  moves: Moves,
  options: WaitOptions,
  errors: WaitErrors,
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    new AsyncTurn(agentLine, lineState, moves, options, { resolve, reject }).begin(errors);
  });
}

interface Answer {
  resolve(ending: Ending): void;
  reject(failure: unknown): void;
}

class AsyncTurn extends AsyncWait {
  readonly bucket: BucketAddress;
  readonly sleeper: Sleeper;
  readonly #agentLine: AsyncLine;
  readonly #lineState: LineState;
  readonly #moves: Moves;
  readonly #options: WaitOptions;
  readonly #answer: Answer;
  readonly #abort = (): void => this.giveUp(reasonOf(this.#options.signal));
  #alarm: Alarm | undefined;

  constructor(agentLine: AsyncLine, lineState: LineState, moves: Moves, options: WaitOptions, answer: Answer) {
    super();
    this.bucket = agentLine.bucket;
    this.sleeper = sleeperAt(agentLine, lineState);
    this.#agentLine = agentLine;
    this.#lineState = lineState;
    this.#moves = moves;
    this.#options = options;
    this.#answer = answer;
  }

  begin(errors: WaitErrors): void {
    const { timeout = Infinity, signal, ref = true } = this.#options;
    this.#lineState.asyncWaits.add(this, this.#agentLine.group);
    if (ref) keepAlive();
    try {
      onAbort(signal, this.#abort);
      this.#alarm = setAlarm(timeout, () => this.giveUp(errors.timedOut(timeout, this.#moves.element)), ref);
      this.sleeper.begin();
    } catch (failure) {
      this.giveUp(failure);
    }
  }

  /** Ends the wait if its turn has come. Returns whether it has. */
  override settle(): boolean {
    const verdict = this.#moves.look();
    if (verdict === WAITING) return false;
    this.#finish();
    const ending = { outcome: this.#moves.end(verdict) };
    const later = this.#agentLine.context.budget.spend();
    if (later === undefined) this.#answer.resolve(ending);
    else void later.then(() => this.#answer.resolve(ending));
    this.sleeper.look();
    return true;
  }

  override fail(failure: unknown): void {
    this.giveUp(failure);
  }

  /**
   * Cancels the wait. A timer, a signal or the sleeper calls this. An error thrown here would have no caller, so it
   * rejects the promise.
   */
  giveUp(reason: unknown): void {
    const { asyncWaits } = this.#lineState;
    try {
      asyncWaits.settle();
      if (!this.isUnderWay) return;
      // Earlier waits settle in the next turn of the event loop, and so does this wait.
      if (asyncWaits.goesOn && this.#moves.look() !== WAITING) return;
      this.#finish();
      this.#answer.resolve({ outcome: this.#moves.end(WAITING), reason });
      this.sleeper.look();
      asyncWaits.settle();
    } catch (failure) {
      if (this.isUnderWay) this.#finish();
      this.#answer.reject(failure);
    }
  }

  #finish(): void {
    const { signal, ref = true } = this.#options;
    this.#lineState.asyncWaits.delete(this);
    this.#alarm?.stop();
    offAbort(signal, this.#abort);
    if (ref) letGo();
  }
}

const sleepers = new WeakMap<LineState, Map<number, Sleeper>>();

/** Returns the sleeper of a line: one per line, for all of this agent's instances of its semaphore. */
function sleeperAt(agentLine: AsyncLine, lineState: LineState): Sleeper {
  const known = sleepers.get(lineState) ?? new Map<number, Sleeper>();
  sleepers.set(lineState, known);
  const sleeper = known.get(agentLine.line) ?? new Sleeper(agentLine.context, vigilAt(agentLine, lineState));
  known.set(agentLine.line, sleeper);
  return sleeper;
}

function vigilAt({ group, isLane, line }: AsyncLine, lineState: LineState): ConstructorParameters<typeof Sleeper>[1] {
  const { asyncWaits } = lineState;
  return {
    bucket() {
      const oldest = isLane ? asyncWaits.first(group) : asyncWaits.any();
      return oldest instanceof AsyncTurn ? oldest.bucket : 0;
    },
    settle: () => asyncWaits.settle(),
    fail(failure) {
      const own = sleepers.get(lineState)?.get(line);
      for (const wait of [...asyncWaits]) if (wait instanceof AsyncTurn && wait.sleeper === own) wait.giveUp(failure);
    },
  };
}
