// The handle of a lazy, and the type of the value that it carries.

import type { PrimitiveHandle } from '@sluice/core/internal';

export type PlainLazyHandle = PrimitiveHandle<'sluice.lazy'> & { readonly codec: string };
/** Carries the type of the value in the type system only: no handle has the property. */
export interface TypedValue<T> {
  readonly value?: T;
}
/** The handle of a lazy with a value `T`, or without `T` of any value. `codec` is the name of its codec. */
export type LazyHandle<T = unknown> = PlainLazyHandle & (unknown extends T ? unknown : TypedValue<T>);
