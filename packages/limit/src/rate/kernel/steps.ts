// Every step that the rate limiter's WebAssembly kernel exports: the entry of its build.

export { bookAtRate, returnToRate, takeAtRate } from './rate.ts';
