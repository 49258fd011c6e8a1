// One shared word that ends the dinner, and every pause.
import { Region } from '@sluice/core';

const RUNG = 1;

export class Bell {
  #word;

  /** @param {import('@sluice/core').RegionHandle} handle */
  constructor(handle) {
    this.handle = handle;
    this.#word = Region.from(handle).int32;
  }

  /** @param {import('@sluice/core').Arena} arena */
  static create(arena) {
    return new Bell(Region.create(Int32Array.BYTES_PER_ELEMENT, { arena, name: 'bell' }).handle);
  }

  ring() {
    Atomics.store(this.#word, 0, RUNG);
    Atomics.notify(this.#word, 0);
  }

  /**
   * Blocks for `ms` ms, or until the bell rings. Returns whether it has rung.
   * @param {number} ms
   */
  pause(ms) {
    return Atomics.wait(this.#word, 0, 0, ms) === 'not-equal' || Atomics.load(this.#word, 0) === RUNG;
  }
}
