// Keeps the value that an instance read last, for further reads of the same version. Each read still returns a value of
// its own.

import type { ValueSlots } from '../slots/byte-slots.ts';

type Flat = Readonly<Record<string, unknown>>;

/** How the next read gets its value. */
type Way = 'as it is' | 'unpacked' | 'copied' | 'copied array' | 'not copied yet';

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export class LastRead {
  /**
   * The halves of the cell's word when the value was read. Halves that no version has: at first, and for codecs whose
   * values are not kept.
   */
  low = -1;
  high = -1;
  readonly #slots: ValueSlots;
  readonly #isKept: boolean;
  #way: Way = 'unpacked';
  #packed: unknown;
  #value: unknown;

  /**
   * `codec` is the name of the cell's codec. Only values of known codecs are kept: another codec's `decode` may return
   * a value that changes, or a view of its argument.
   */
  constructor(slots: ValueSlots, codec: string) {
    this.#slots = slots;
    this.#isKept = codec === 'json' || codec === 'int32' || codec === 'float64';
  }

  /** Unpacks the value that was read when the cell's word had these halves. */
  first(low: number, high: number, packed: unknown): unknown {
    const value = this.#slots.unpack(packed);
    if (!this.#isKept) return value;
    this.low = low;
    this.high = high;
    this.#packed = packed;
    // The caller may change an object.
    this.#way = isObject(value) ? 'not copied yet' : 'as it is';
    this.#value = isObject(value) ? undefined : value;
    return value;
  }

  /** Returns a further value for a read of the same version. */
  again(): unknown {
    if (this.#way === 'as it is') return this.#value;
    // The copy has the properties that `JSON.parse` would create: own properties in the same order, `__proto__`
    // included.
    if (this.#way === 'copied') return { ...(this.#value as Flat) };
    if (this.#way === 'copied array') return (this.#value as unknown[]).slice();
    const value = this.#slots.unpack(this.#packed);
    if (this.#way === 'unpacked') return value;
    return this.#keep(value as object);
  }

  /** Keeps a copy that no caller has, if one level of copying is enough for further copies. */
  #keep(value: object): unknown {
    this.#way = 'unpacked';
    if (Object.values(value).some(isObject)) return value;
    this.#value = value;
    this.#packed = undefined;
    this.#way = Array.isArray(value) ? 'copied array' : 'copied';
    return this.again();
  }
}
