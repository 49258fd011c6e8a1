// The handle of a lazy, and the type of the value that it carries.

import type { PrimitiveHandle } from '@sluice/core/internal';

export type PlainLazyHandle = PrimitiveHandle<'sluice.lazy'> & { readonly codec: string };
/** Carries the type of the value. It exists only in the type system: no handle has the property. */
export interface TypedValue<T> {
  readonly value?: T;
}
/**
 * The handle of a lazy with a value of type `T`. Without `T`, the value may have any type. `codec` is the name of its
 * codec.
 */
export type LazyHandle<T = unknown> = PlainLazyHandle & (unknown extends T ? unknown : TypedValue<T>);
