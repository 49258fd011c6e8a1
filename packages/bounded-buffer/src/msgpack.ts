// Structured values as MessagePack, by msgpackr. An entry point of its own, for programs that have msgpackr installed.

import { Packr } from 'msgpackr';
import type { Codec } from './api/codec.ts';
import { escapeProto, mentionsProto, restoreProto } from './values/proto-keys.ts';

/**
 * Creates a codec for all values that the structured clone algorithm supports: plain objects, arrays, Map, Set, Date,
 * Error, RegExp, typed arrays, bigint, `undefined`, and cyclic objects. Every thread creates its own, for `create` and
 * for `from`.
 *
 * ```ts
 * import { BoundedBuffer } from '@sluice/bounded-buffer';
 * import { msgpack } from '@sluice/bounded-buffer/msgpack';
 *
 * const events = BoundedBuffer.create({ codec: msgpack<Map<string, Date>>(), ringBytes: 4096 });
 * events.push(new Map([['began', new Date(0)]]));
 * console.log(events.pop().get('began')?.getTime()); // 0
 * ```
 */
export function msgpack<T = unknown>(): Codec<T> {
  const packr = new Packr({ structuredClone: true });
  return {
    name: 'msgpack',
    encode: (value) => {
      const bytes = packr.pack(value);
      if (!mentionsProto(bytes)) return bytes;
      const escaped = escapeProto(value);
      return escaped === value ? bytes : packr.pack(escaped);
    },
    decode: (bytes) => {
      const value: unknown = packr.unpack(bytes);
      if (mentionsProto(bytes)) restoreProto(value);
      return value as T;
    },
  };
}
