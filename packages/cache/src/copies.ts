// The values of JSON that an instance keeps decoded, to give each hit a copy. A copy of a decoded value takes a third
// of the time that decoding its text takes (decision 261).
//
// A value is kept from its second hit on, so values that are read once cost nothing. The program never gets the kept
// value itself.

import type { CachedValue } from './store.ts';

/** The maximum of the encoded bytes of all kept values of an instance together. */
const MOST_BYTES = 2 ** 21;
/** The maximum number of values whose hits are remembered. */
const MOST_VALUES = 1024;
/** Values that are nested more deeply are decoded at each hit: a copy could need more stack than there is. */
const MOST_DEPTH = 100;

interface Known {
  readonly version: number;
  /** The decoded value. `undefined` before the second hit, and for a value that is nested too deeply. */
  original: unknown;
  bytes: number;
  isTooDeep: boolean;
}

export class Copies {
  /** In the order of use. */
  readonly #known = new Map<string, Known>();
  #bytes = 0;

  /** Returns the version of the value that is kept for a key; 0: none. */
  versionOf(units: string): number {
    const known = this.#known.get(units);
    return known?.original === undefined ? 0 : known.version;
  }

  forget(units: string): void {
    this.#bytes -= this.#known.get(units)?.bytes ?? 0;
    this.#known.delete(units);
  }

  forgetAll(): void {
    this.#known.clear();
    this.#bytes = 0;
  }

  /** Returns a value of the caller's own. */
  valueOf(units: string, { bytes, version }: CachedValue, decode: (bytes: Uint8Array) => unknown): unknown {
    let known = this.#known.get(units);
    const isFirst = known?.version !== version;
    if (known === undefined || isFirst) {
      this.forget(units);
      known = { version, original: undefined, bytes: 0, isTooDeep: false };
    } else this.#known.delete(units);
    this.#known.set(units, known);
    if (this.#known.size > MOST_VALUES) this.#forgetOldest();
    if (known.original !== undefined) return copyOf(known.original);
    const value = decode(bytes);
    if (isFirst || known.isTooDeep || bytes.length > MOST_BYTES) return value;
    known.isTooDeep = !isShallow(value, MOST_DEPTH);
    if (known.isTooDeep || value === undefined) return value;
    known.original = value;
    known.bytes = bytes.length;
    this.#bytes += bytes.length;
    while (this.#bytes > MOST_BYTES) this.#forgetOldest();
    return copyOf(value);
  }

  #forgetOldest(): void {
    const [oldest = ''] = this.#known.keys();
    this.forget(oldest);
  }
}

/** Whether arrays and objects are nested at most `depth` deep. */
function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((each) => isShallow(each, depth - 1));
}

/** Copies a value as `JSON.parse` makes it: arrays without holes, and objects with data properties only. */
function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const copy = value.slice() as unknown[];
    for (let index = 0; index < copy.length; index++) {
      const each = copy[index];
      if (typeof each === 'object') copy[index] = copyOf(each);
    }
    return copy;
  }
  // The spread defines all properties, also one named `__proto__`. So the assignments below find own data properties.
  const copy = { ...value } as Record<string, unknown>;
  for (const name of Object.keys(copy)) {
    const each = copy[name];
    if (typeof each === 'object') copy[name] = copyOf(each);
  }
  return copy;
}
