// Decides whether a thread that has nothing to do stays awake for a moment, and looks for work, before it sleeps.
//
// To wake a thread takes from 5 µs to 0.1 ms. A thread that stays awake for that long costs about as much as it may
// save. Two measurements decide whether it does:
//
//   it pays              A thread may stay awake a few times without finding work. Each time that it finds work, it
//                        gets one of these times back. When none is left, it pauses: for a while it sleeps at once. So
//                        it pauses if its partner runs on the same core: there it would only delay its own work.
//   the core is free     A long gap between two looks means that another thread ran on the core. A thread that stays
//                        awake on a busy core uses up its share of the processor. When its work comes, other threads
//                        run first, for milliseconds. So it pauses.
//
// A pause that follows soon after another one is longer.

/** The longest time that a thread stays awake, in ms. */
export const AWAKE_MS = 0.1;
/**
 * A longer gap between two looks, in ms, means that another thread ran on the core. Shorter gaps are interrupts. A
 * virtual machine has hundreds of gaps a second that are longer than 0.03 ms.
 */
const LOST_MS = 0.5;
/** The length of a pause in ms: the first one, and the longest. */
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 160;
/** If a pause begins within this many times the last pause's length after its end, it is twice as long. */
const PAUSES_UNTIL_FREE = 4;
/** How often a thread may stay awake without finding work: at most, and after a pause. */
const MOST_IN_VAIN = 4;
const FIRST_IN_VAIN = 1;

export class StayAwake {
  readonly #hasOtherCores: boolean;
  #pausedUntil = -Infinity;
  #pauseMs = FIRST_PAUSE_MS;
  #inVainLeft = MOST_IN_VAIN;

  /** `cores`: with one core no thread stays awake, because its partner cannot run meanwhile. */
  constructor(cores: number) {
    this.#hasOtherCores = cores > 1;
  }

  /** Whether the thread may stay awake from that time on, in ms. */
  mayBegin(now: number): boolean {
    return this.#hasOtherCores && now >= this.#pausedUntil;
  }

  /** Records two looks. The thread did not look in between. */
  noteLooks(last: number, now: number): void {
    if (now - last < LOST_MS) return;
    this.#pause(last, now);
  }

  /** Records that work came while the thread was awake. */
  noteFound(): void {
    if (this.#inVainLeft < MOST_IN_VAIN) this.#inVainLeft += 1;
  }

  noteInVain(now: number): void {
    this.#inVainLeft -= 1;
    if (this.#inVainLeft > 0) return;
    this.#inVainLeft = FIRST_IN_VAIN;
    // A gap lasts longer than a thread stays awake, so the look that sees it is the last one, and has begun a pause.
    if (now >= this.#pausedUntil) this.#pause(now, now);
  }

  /** Begins a pause. `until`: the time up to which the thread has seen no reason for it. */
  #pause(until: number, now: number): void {
    const isSoon = until - this.#pausedUntil < PAUSES_UNTIL_FREE * this.#pauseMs;
    this.#pauseMs = isSoon ? Math.min(LONGEST_PAUSE_MS, 2 * this.#pauseMs) : FIRST_PAUSE_MS;
    this.#pausedUntil = now + this.#pauseMs;
  }
}
