// Why a buffer does not take a value. The stores and codecs know the reason, the buffer knows its name.

/** Thrown by a store; becomes an error of that kind, whose message names the buffer before these words. */
export class RefusedValue extends Error {
  readonly #Kind: TypeErrorConstructor | RangeErrorConstructor;

  constructor(Kind: TypeErrorConstructor | RangeErrorConstructor, why: string) {
    super(why);
    this.#Kind = Kind;
  }

  /** `buffer`: as "BoundedBuffer 'jobs'". */
  namedBy(buffer: string): Error {
    return new this.#Kind(`${buffer}: ${this.message}. Nothing was changed.`);
  }
}
