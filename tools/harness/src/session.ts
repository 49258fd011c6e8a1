// What a random test prints: the seed to repeat it with, and how much it did.

import { Random } from './random.mjs';

const { env } = process;

/** `SLUICE_SOAK=1` (or `=20`, for that many times as much) makes the long tests long. */
export const soak = env['SLUICE_SOAK'] === undefined ? 1 : Math.max(10, Number(env['SLUICE_SOAK']) || 0);

/** Whether a run takes everything but the sizes of the soak: `SLUICE_DEPTH=full`, as CI sets it, or a soak. */
export const isFullDepth = soak > 1 || env['SLUICE_DEPTH'] === 'full';

/** A number of operations, multiplied when soaking. */
export function scale(operations: number): number {
  return operations * soak;
}

/** The part that a run takes of a storm: one in so many operations. */
const SHARE = isFullDepth ? 12 : 24;

/** A number of operations: a part of it in a run, all of it times `SLUICE_SOAK` in the soak. */
export function shortOf(operations: number): number {
  return soak === 1 ? Math.ceil(operations / SHARE) : operations * soak;
}

/** A number that is one thing in a test and another in the soak (with `SLUICE_SOAK=20`, twice that). */
export function soakSize(normal: number, long: number): number {
  return soak === 1 ? normal : Math.round((long * soak) / 10);
}

/** One random test. `SLUICE_SEED` repeats it. */
export class Session {
  readonly name: string;
  readonly seed: number;
  readonly random: Random;
  readonly #began = performance.now();

  constructor(name: string) {
    this.name = name;
    this.seed = env['SLUICE_SEED'] === undefined ? (Math.random() * 2 ** 31) | 0 : Number(env['SLUICE_SEED']);
    this.random = new Random(this.seed);
  }

  /** Prints what was done: `name: 12000 operations in 0.8 s, seed 42`. */
  done(operations: number, details = ''): void {
    const seconds = ((performance.now() - this.#began) / 1000).toFixed(1);
    console.log(`${this.name}: ${operations} operations in ${seconds} s, seed ${this.seed}${details === '' ? '' : `, ${details}`}`);
  }
}
