// The values that an instance keeps decoded: those that it used last.

import type { CachedValue } from './store.ts';

interface Kept {
  readonly version: number;
  readonly value: unknown;
}

export class DecodedValues {
  readonly #most: number;
  /** In the order of use. */
  readonly #values = new Map<string, Kept>();

  /** `most` is the maximum number of values. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the version of the value that is kept for a key; 0: none. */
  versionOf(units: string): number {
    return this.#values.get(units)?.version ?? 0;
  }

  forget(units: string): void {
    this.#values.delete(units);
  }

  forgetAll(): void {
    this.#values.clear();
  }

  /** Returns the value that was found. Decodes it unless the value of its version is kept. */
  valueOf(units: string, { bytes, version }: CachedValue, decode: (bytes: Uint8Array) => unknown): unknown {
    const known = this.#values.get(units);
    const kept = known?.version === version ? known : { version, value: decode(bytes) };
    if (known !== undefined) this.#values.delete(units);
    this.#values.set(units, kept);
    if (this.#values.size > this.#most) {
      const [oldest = ''] = this.#values.keys();
      this.#values.delete(oldest);
    }
    return kept.value;
  }
}
