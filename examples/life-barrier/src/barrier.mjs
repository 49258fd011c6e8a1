// A barrier: no thread continues before all have arrived. It takes two words and a condition.
import { addressSignal, addressWaitUntil } from '@sluice/address-wait';

export class Barrier {
  /** How many threads have arrived in this round. */
  #arrived;
  /** How many rounds are over: the word that threads wait on. */
  #rounds;
  /** Not 0: a thread has died, and will never arrive. */
  #broken;
  #parties;

  /**
   * @param {{ arrived: SharedWord, rounds: SharedWord, broken: SharedWord }} words
   * @param {number} parties
   */
  constructor({ arrived, rounds, broken }, parties) {
    this.#arrived = arrived;
    this.#rounds = rounds;
    this.#broken = broken;
    this.#parties = parties;
  }

  /** Waits until all threads have arrived. Returns false if one has died and never will. */
  wait() {
    const round = this.#rounds.load();
    if (this.#arrived.add(1) + 1 === this.#parties) {
      this.#arrived.store(0); // first: a thread that continues may arrive again at once
      this.#rounds.add(1); // then the change that the others wait for
      addressSignal(this.#rounds); // then the signal
    } else {
      addressWaitUntil(this.#rounds, () => this.#rounds.load() !== round || this.#broken.load() !== 0);
    }
    return this.#broken.load() === 0;
  }
}

/** @typedef {import('@sluice/address-wait').SharedWord} SharedWord */
