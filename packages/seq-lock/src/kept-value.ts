// The value that an agent last read, kept in memory of its own. While no agent writes, a read copies it from there.
//
// A read of the shared words loads each word atomically. A read of the kept value makes one step of the kernel, which
// compares the version, and copies by plain loads. If the version has changed, that step was unnecessary. So the value
// is kept only after two reads in a row have found the same version.
//
// INVARIANT. `#words` is the value of `#version`, and ERA was `#era` before it was read. So while `isNewest` is true,
// it is the newest value (sequence.ts, invariant 4).

import { copyFew, MANY } from './copy-few.ts';
import { NONE, type Sequence } from './sequence.ts';

const NO_WORDS = /* @__PURE__ */ new Int32Array(0);

export class KeptValue {
  readonly #sequence: Sequence;
  readonly #length: number;
  #words = NO_WORDS;
  /** NONE if no value is kept. */
  #version = NONE;
  #era = 0;
  /** The version that the last read of the shared words found. */
  #seen = NONE;

  constructor(sequence: Sequence) {
    this.#sequence = sequence;
    this.#length = sequence.length;
  }

  /** Copies the newest value and returns its version, as `tryLoad` of the sequence does. */
  tryLoad(into: Int32Array): number {
    const version = this.#version;
    if (version === NONE || !this.#sequence.isNewest(version, this.#era)) return this.#loadShared(into);
    const length = this.#length;
    if (length < MANY) copyFew(this.#words, into, length);
    else into.set(this.#words);
    return version;
  }

  #loadShared(into: Int32Array): number {
    this.#version = NONE;
    const version = this.#sequence.tryLoad(into);
    if (version !== NONE && version === this.#seen) this.#keep();
    this.#seen = version;
    return version;
  }

  #keep(): void {
    const sequence = this.#sequence;
    if (this.#words === NO_WORDS) this.#words = new Int32Array(this.#length);
    // Read ERA before the value, and keep the version of this very copy.
    this.#era = sequence.era;
    this.#version = sequence.tryLoad(this.#words);
  }
}
