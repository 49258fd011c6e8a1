// The type of what a body may return that holds something only until it returns.

declare const refusal: unique symbol;

/** What an error of the compiler names if the body of a `run` returns a promise: call `runAsync` instead. No value has this type. */
export interface UseRunAsync {
  readonly [refusal]: 'runAsync';
}

declare const fitsAll: unique symbol;

/** No type of a program fits it, except `any` and `never`, which fit everything. */
interface FitsAll {
  readonly [fitsAll]: never;
}

// Of `any` and `never` first: a body that returns one of them is accepted. The compiler asks the same of the type parameter of a generic
// caller, so that its body is accepted, too. `T extends` goes through the members of a union.
type Found<T> = [T] extends [FitsAll] ? 'value' : T extends PromiseLike<unknown> ? 'promise' : 'value';

/**
 * `T`, unless a value of it may be a promise or another thenable: then a type that it does not fit. For the result of a function that must be
 * done when it returns. `Instead` is what the compiler's error names.
 */
export type NotPromise<T, Instead = UseRunAsync> = 'promise' extends Found<T> ? T & Instead : T;
