// Decides whether a thread that has nothing to do stays awake for a moment, and looks for work, before it sleeps.
//
// To wake a thread takes from 5 µs to 0.1 ms. A thread that stays awake for that long costs about as much as it may
// save. Two measurements decide whether it does:
//
//   it pays              Each time that work came while the thread was awake earns one time in vain, up to a few. When
//                        none is left, the thread does not stay awake for a while, longer each time. So it is if the
//                        partner runs on the same core: a thread that stays awake there keeps its work from coming.
//   the core is free     A long gap between two looks means that another thread ran on the core. A thread that stays
//                        awake on a busy core uses up its share of the processor. When its work comes, others run
//                        first, for milliseconds. So it does not stay awake for a while, longer each time.

/** The longest time that a thread stays awake, in ms. */
export const AWAKE_MS = 0.1;
/**
 * A longer gap between two looks, in ms, means that another thread ran on the core. Shorter gaps are interrupts. A
 * virtual machine has hundreds of gaps a second that are longer than 0.03 ms.
 */
const LOST_MS = 0.5;
/** The time without staying awake, in ms: at first, and at most. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 160;
/** If the next pause begins within so many pauses after the last one, it is twice as long. */
const PAUSES_UNTIL_FREE = 4;
/** How often a thread may stay awake in vain: at most, and after a pause. */
const MOST_IN_VAIN = 4;
const FIRST_IN_VAIN = 1;

export class StayAwake {
  readonly #hasOtherCores: boolean;
  #pausedUntil = -Infinity;
  #pauseMs = FIRST_PAUSE_MS;
  #inVainLeft = MOST_IN_VAIN;

  /** `cores`: with one core no thread stays awake, because the one that has work for it cannot run meanwhile. */
  constructor(cores: number) {
    this.#hasOtherCores = cores > 1;
  }

  /** Whether the thread may stay awake from that time on, in ms. */
  mayBegin(now: number): boolean {
    return this.#hasOtherCores && now >= this.#pausedUntil;
  }

  /** The thread looked at these two times, and not in between. */
  noteLooks(last: number, now: number): void {
    if (now - last < LOST_MS) return;
    this.#pause(last, now);
  }

  /** Work came while the thread was awake. */
  noteFound(): void {
    if (this.#inVainLeft < MOST_IN_VAIN) this.#inVainLeft += 1;
  }

  noteInVain(now: number): void {
    this.#inVainLeft -= 1;
    if (this.#inVainLeft > 0) return;
    this.#inVainLeft = FIRST_IN_VAIN;
    // A gap of the same look may have begun a pause.
    if (now >= this.#pausedUntil) this.#pause(now, now);
  }

  /** `until`: until when nothing was wrong. */
  #pause(until: number, now: number): void {
    const isSoon = until - this.#pausedUntil < PAUSES_UNTIL_FREE * this.#pauseMs;
    this.#pauseMs = isSoon ? Math.min(LONGEST_PAUSE_MS, 2 * this.#pauseMs) : FIRST_PAUSE_MS;
    this.#pausedUntil = now + this.#pauseMs;
  }
}
