// The handle of a buffer, and the type of the values that it carries.

import type { PrimitiveHandle } from '@sluice/core/internal';

export type PlainHandle = PrimitiveHandle<'sluice.bounded-buffer'> & { readonly codec: string };
/** Carries the type of the values in the type system only. No handle has the property. */
export interface Typed<T> {
  readonly values?: T;
}

/**
 * The handle of a buffer of values `T`, or of any values if `T` is not given. `codec` is the name of the codec with
 * which the buffer was created.
 */
export type BoundedBufferHandle<T = unknown> = PlainHandle & (unknown extends T ? unknown : Typed<T>);
