// The reason why a buffer does not take a value. Stores and codecs know the reason, and the buffer adds its name.

/** Thrown by a store. Becomes an error of the given kind, whose message begins with the name of the buffer. */
export class BufferRefusal extends Error {
  readonly #Kind: TypeErrorConstructor | RangeErrorConstructor;

  constructor(Kind: TypeErrorConstructor | RangeErrorConstructor, why: string) {
    super(why);
    this.#Kind = Kind;
  }

  /** `buffer` is the name for messages, such as "BoundedBuffer 'jobs'". */
  namedBy(buffer: string): Error {
    return new this.#Kind(`${buffer}: ${this.message}. Nothing was changed.`);
  }
}

/** Returns the error that a caller gets for `failure`. Errors of a codec stay as they are. `buffer` has its name. */
export function asRefusal(failure: unknown, buffer: { toString(): string }): unknown {
  return failure instanceof BufferRefusal ? failure.namedBy(buffer.toString()) : failure;
}
