// The async waits of one agent at a multilane semaphore share one place in its lanes, that of the oldest wait. When the
// permit for the place comes, the oldest wait gets it. The agent takes free permits for further waits, and then a new
// place at the end.
//
// An abandoned place keeps its number until its permit comes (kernel/multilane.ts). If each wait had a place, a hundred
// thousand abandoned waits would each pass on the next permit, lane by lane. With a shared place, an abandoned wait
// leaves nothing behind while its agent has another wait there.

import type { WaitOptions } from '@sluice/core';
import { TAKEN, type Poll } from '@sluice/core/format';
import { keepAlive, letGo, offAbort, onAbort, reasonOf, setAlarm, type Alarm } from '@sluice/core/calls';
import { AsyncWait, AsyncWaits, type LineState, type WaitErrors } from '@sluice/core/internal';

/** The operations of the semaphore that the waits use. */
export interface Lanes {
  /** Takes a permit, if one is free. Returns whether it did. Throws if the semaphore is closed. */
  takeFree(): boolean;
  /** Takes a place, and resolves with TAKEN or SHUT. Calls `taken` in the turn in which the permit is taken. */
  enter(options: WaitOptions, taken: () => void): Promise<Poll>;
  /** Ends the waits of this agent that have a verdict. */
  settle(): void;
  release(): void;
}

export class SharedPlace {
  readonly #waits = new AsyncWaits();
  readonly #lanes: Lanes;
  #place: AbortController | undefined;
  /** The number of permits that came for the place and that no wait has taken yet. */
  #granted = 0;
  #isEntering = false;

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
  }

  /** The number of waits, without the wait whose place is in a lane. */
  get more(): number {
    return this.#waits.size - (this.#place === undefined ? 0 : 1);
  }

  /** Waits for a permit. Resolves with TAKEN or SHUT. Rejects with the reason for which the wait ended. */
  wait(options: WaitOptions, errors: WaitErrors): Promise<Poll> {
    return new Promise((resolve, reject) => {
      const wait = new WaitForPermit(this, options, { resolve, reject });
      wait.begin(errors);
      this.#waits.add(wait, 0);
      if (this.#waits.size === 1) this.#settle();
    });
  }

  delete(wait: AsyncWait): void {
    this.#waits.delete(wait);
  }

  /** Takes a permit for the oldest wait. Returns false if no permit is free: then the agent has a place. */
  takePermit(): boolean {
    if (this.#granted === 0 && this.#place === undefined) {
      if (this.#lanes.takeFree()) return true;
      this.#enter();
    }
    if (this.#granted === 0) return false;
    this.#granted -= 1;
    return true;
  }

  /** Ends the wait with `failure`, unless its permit came first. */
  giveUp(wait: WaitForPermit, failure: () => unknown): void {
    this.#lanes.settle();
    if (wait.isUnderWay && this.#waits.size === 1) {
      const place = this.#place;
      if (place !== undefined) this.#leave(place);
    }
    if (wait.isUnderWay) wait.fail(failure());
  }

  /** Gives up the place for the last wait. The wait has its permit if the permit comes first. */
  #leave(place: AbortController): void {
    this.#place = undefined;
    place.abort();
    // A permit that came after the check in `giveUp` leaves the place in its lane. The next blocking call would refuse
    // to wait behind it.
    this.#lanes.settle();
  }

  #enter(): void {
    const place = new AbortController();
    this.#place = place;
    this.#isEntering = true;
    // `ref: false`, because each wait keeps the event loop alive itself, if it has to.
    const entered = this.#lanes.enter({ signal: place.signal, ref: false }, () => this.#taken(place));
    this.#isEntering = false;
    entered.then(
      (outcome) => this.#ended(place, outcome),
      (failure: unknown) => this.#failed(place, failure),
    );
  }

  #taken(place: AbortController): void {
    if (this.#place === place) this.#place = undefined;
    this.#granted += 1;
    if (!this.#isEntering) this.#settle();
  }

  #ended(place: AbortController, outcome: Poll): void {
    if (outcome === TAKEN || this.#place !== place) return;
    this.#place = undefined;
    for (const wait of [...this.#waits]) if (wait instanceof WaitForPermit) wait.end(outcome);
  }

  #failed(place: AbortController, failure: unknown): void {
    // The last wait gave up its place.
    if (this.#place !== place) return;
    this.#place = undefined;
    this.#waits.first(0)?.fail(failure);
    this.#settle();
  }

  #settle(): void {
    try {
      this.#waits.settle();
    } catch (failure) {
      for (const wait of [...this.#waits]) wait.fail(failure);
    }
    for (; this.#granted > 0 && this.#waits.size === 0; this.#granted -= 1) this.#lanes.release();
  }
}

interface Answer {
  resolve(outcome: Poll): void;
  reject(failure: unknown): void;
}

class WaitForPermit extends AsyncWait {
  readonly #shared: SharedPlace;
  readonly #options: WaitOptions;
  readonly #answer: Answer;
  readonly #abort = (): void => this.#shared.giveUp(this, () => reasonOf(this.#options.signal));
  #alarm: Alarm | undefined;

  constructor(shared: SharedPlace, options: WaitOptions, answer: Answer) {
    super();
    this.#shared = shared;
    this.#options = options;
    this.#answer = answer;
  }

  begin(errors: WaitErrors): void {
    const { timeout = Infinity, signal, ref = true } = this.#options;
    // First: if the signal throws here, nothing must be left behind.
    onAbort(signal, this.#abort);
    this.#alarm = setAlarm(timeout, () => this.#shared.giveUp(this, () => errors.timedOut(timeout, 0)), ref);
    if (ref) keepAlive();
  }

  end(outcome: Poll): void {
    this.#finish();
    this.#answer.resolve(outcome);
  }

  override settle(): boolean {
    if (!this.#shared.takePermit()) return false;
    this.end(TAKEN);
    return true;
  }

  override fail(failure: unknown): void {
    this.#finish();
    this.#answer.reject(failure);
  }

  #finish(): void {
    const { signal, ref = true } = this.#options;
    this.#shared.delete(this);
    this.#alarm?.stop();
    offAbort(signal, this.#abort);
    if (ref) letGo();
  }
}

const sharedPlaces = new WeakMap<LineState, SharedPlace>();

/** Returns the shared place of this agent, one for all its instances of the semaphore. */
export function sharedPlaceOf(lineState: LineState, lanes: Lanes): SharedPlace {
  const shared = sharedPlaces.get(lineState) ?? new SharedPlace(lanes);
  sharedPlaces.set(lineState, shared);
  return shared;
}
