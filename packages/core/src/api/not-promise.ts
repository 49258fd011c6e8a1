// The type for the result of a body that holds a lock or permits only until it returns.

declare const refusal: unique symbol;

/**
 * The type that the compiler's error names if the body of a `run` returns a promise: call `runAsync` instead. No value
 * has this type.
 */
export interface UseRunAsync {
  readonly [refusal]: 'runAsync';
}

declare const fitsAll: unique symbol;

/** A type to which only `any` and `never` are assignable. */
interface FitsAll {
  readonly [fitsAll]: never;
}

// `any` and `never` come first, so a body that returns one of them is accepted. The compiler also checks this branch
// for the type parameter of a generic caller, and accepts its body. `T extends` distributes over the members of a
// union.
type Found<T> = [T] extends [FitsAll] ? 'value' : T extends PromiseLike<unknown> ? 'promise' : 'value';

/**
 * The result type of a function that must be done when it returns. If no member of `T` is a promise or another
 * thenable, the result is `T`. Otherwise `T` is not assignable to the result, and the compiler's error names `Instead`.
 */
export type NotPromise<T, Instead = UseRunAsync> = 'promise' extends Found<T> ? T & Instead : T;

/**
 * The result type of a callback that must be done when it returns, and whose result is unused. It accepts everything
 * but a promise or another thenable, so an `async` function is not assignable to such a callback.
 */
export type DoneOnReturn =
  | void
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | symbol
  | (object & { readonly then?: undefined });
