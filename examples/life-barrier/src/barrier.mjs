// A barrier: nobody goes on before all have come. Two words and a condition are all it takes.
import { addressSignal, addressWaitUntil } from '@sluice/address-wait';

export class Barrier {
  /** How many have come in this round. */
  #arrived;
  /** How many rounds are over: the word that is waited for. */
  #rounds;
  /** Not 0: somebody has died, and will never come. */
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

  /** Waits until all have come. False: that will never be. */
  wait() {
    const round = this.#rounds.load();
    if (this.#arrived.add(1) + 1 === this.#parties) {
      this.#arrived.store(0); // first: whoever goes on may come again at once
      this.#rounds.add(1); // then what the others wait for,
      addressSignal(this.#rounds); // and then the signal
    } else {
      addressWaitUntil(this.#rounds, () => this.#rounds.load() !== round || this.#broken.load() !== 0);
    }
    return this.#broken.load() === 0;
  }
}

/** @typedef {import('@sluice/address-wait').SharedWord} SharedWord */
