// The value of a remote lazy: the bytes of a codec, stored on the server as text that every client library passes on
// unchanged.
//
//   length of the codec's name, a space, the name, the bytes
//
// Each byte is one character, U+0000 to U+00FF. So a value in ASCII takes as many bytes on the server as in memory, and
// is readable there.

import { MisuseError } from '@sluice/core';
import {
  checkInteger,
  checkOptions,
  codecOf,
  fixedBytes,
  packedBy,
  RefusedValue,
  show,
  type CodecName,
  type ValueCodec,
} from '@sluice/core/calls';

export interface RemoteLazyOptions<T> {
  /**
   * `'json'` (default), `'bytes'`, `'int32'`, `'float64'`, or a codec of your own. All processes must use the same
   * codec.
   */
  readonly codec?: CodecName | ValueCodec<T> | undefined;
  /**
   * The maximum length of the encoded value in bytes, 1 to 2^24. Default: 65,536. Not used with `'int32'` and
   * `'float64'`.
   */
  readonly capacity?: number | undefined;
}

const OPTIONS: readonly string[] = ['codec', 'capacity'];
const DEFAULT_CAPACITY = 65_536;
const MAX_BYTES = 2 ** 24;
/** The number of arguments of one call: engines limit it. */
const CHUNK = 8192;

/** Packs and reads the value in this process. */
export class Packing<T> {
  readonly codec: ValueCodec<unknown>;
  readonly capacity: number;
  readonly #title: string;
  /** The decoded value, once this process has decoded it. */
  #copy: { readonly value: T } | undefined;

  /** Checks the options. Throws `TypeError`, `RangeError`. */
  constructor(title: string, options: RemoteLazyOptions<T>) {
    checkOptions(options, OPTIONS);
    const { capacity = DEFAULT_CAPACITY } = options;
    this.#title = title;
    this.codec = codecOf(options.codec);
    const each = fixedBytes(this.codec.name);
    if (each !== undefined && options.capacity !== undefined)
      throw new TypeError(`${title}: a lazy of ${this.codec.name} has no capacity: received ${show(options.capacity)}`);
    this.capacity = each ?? checkInteger(`${title}: capacity`, capacity, 1, MAX_BYTES);
  }

  /**
   * Returns the text that the server stores for `value`. It decodes the bytes first, so that a value that cannot be
   * read is never stored. Throws `TypeError`, `RangeError`, and the errors of the codec.
   */
  pack(value: T): string {
    let bytes: Uint8Array;
    try {
      bytes = packedBy(this.codec, this.capacity, value);
    } catch (failure) {
      throw failure instanceof RefusedValue
        ? new failure.Kind(`${this.#title}: ${failure.message}. The attempt failed.`)
        : failure;
    }
    this.codec.decode(new Uint8Array(bytes));
    const { name } = this.codec;
    return `${name.length} ${name}${textOf(bytes)}`;
  }

  /**
   * Returns the stored value. The first call decodes it, and later calls return the same object. Throws `MisuseError`,
   * and the errors of the codec.
   */
  read(kept: string): T {
    this.#copy ??= { value: this.codec.decode(this.#bytesIn(kept)) as T };
    return this.#copy.value;
  }

  #bytesIn(kept: string): Uint8Array {
    const from = kept.indexOf(' ') + 1;
    const to = from + Number(kept.slice(0, from));
    const name = kept.slice(from, to);
    if (name !== this.codec.name) {
      throw new MisuseError(
        `${this.#title} has a value of the codec ${show(name)}, and this process made it with ${show(this.codec.name)}. All processes must agree.`,
      );
    }
    return bytesOf(kept.slice(to));
  }
}

/** Returns the bytes as text, one character for each. */
export function textOf(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return text;
}

/** Returns the bytes of a text that `textOf` made. */
export function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
