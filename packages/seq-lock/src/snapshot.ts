// A copy of a seq-lock's value that knows its version.

import { INSPECT, consoleText, refusePosting } from '@sluice/core/calls';
import { readContended } from './contended-read.ts';
import { NONE, type Sequence } from './sequence.ts';
import { SeqValue, wordsOf } from './value.ts';
import type { Writers } from './writers.ts';

/**
 * A private copy of the value of a `SeqLock`, with three views of the same bytes. `SeqLock.snapshot()` makes one. It
 * belongs to the thread that made it.
 *
 * `refresh` makes it the newest value. Without a write in between it copies nothing, so its cost does not depend on the
 * length. Values that a program writes to the views stay there until `refresh` copies the next time.
 *
 * ```ts run
 * import { SeqLock } from '@sluice/seq-lock';
 *
 * const position = SeqLock.create({ byteLength: 16 });
 * const here = position.snapshot();
 * console.log(here.refresh()); // false
 * position.write(({ float64 }) => float64.set([1.5, 2.5]));
 * console.log(here.float64[0], here.refresh(), here.float64[0]); // 0 true 1.5
 * ```
 */
export class SeqSnapshot {
  readonly bytes: Uint8Array;
  /** The bytes as 32-bit words. */
  readonly int32: Int32Array;
  /** The bytes as doubles. */
  readonly float64: Float64Array;
  readonly #words: Int32Array;
  readonly #sequence: Sequence;
  readonly #writers: Writers;
  #version = NONE;
  #era = 0;

  /** Only for `SeqLock.snapshot`. */
  constructor(sequence: Sequence, writers: Writers, byteLength: number) {
    refusePosting(this);
    const value = new SeqValue(byteLength);
    this.bytes = value.bytes;
    this.int32 = value.int32;
    this.float64 = value.float64;
    this.#words = wordsOf(value);
    this.#sequence = sequence;
    this.#writers = writers;
    this.#copy();
  }

  /**
   * Makes this the newest value: at least as new as the last write that had ended before the call. Returns whether it
   * copied. It copies after each write. During every 2^30th write it may also copy the same version once more.
   *
   * If the call throws, do not use the views before the next `refresh` that returns.
   *
   * @throws The errors of `SeqLock.read`.
   */
  refresh(): boolean {
    if (this.#sequence.isNewest(this.#version, this.#era)) return false;
    this.#copy();
    return true;
  }

  [INSPECT](): string {
    return consoleText('SeqSnapshot', () => {
      this.#writers.check();
      return {
        of: this.#writers.toString(),
        version: this.#version,
        newest: this.#sequence.isNewest(this.#version, this.#era),
      };
    });
  }

  #copy(): void {
    const sequence = this.#sequence;
    // Set no version until the copy is whole, because `readContended` may throw.
    this.#version = NONE;
    // Read ERA before the copy. If ERA increases in between, `refresh` copies once more.
    this.#era = sequence.era;
    const version = sequence.tryLoad(this.#words);
    this.#version = version === NONE ? readContended(sequence, this.#writers, this.#words) : version;
  }
}
