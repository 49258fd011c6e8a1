// Random tests: their output, seed and number of operations. Also the depth of a run.

import { Random } from './random.mjs';

const { env } = process;

/** The factor of a soak; 1 outside a soak. `SLUICE_SOAK=20` multiplies the long tests by 20. The least factor is 10. */
export const soak = env['SLUICE_SOAK'] === undefined ? 1 : Math.max(10, Number(env['SLUICE_SOAK']) || 0);

/**
 * The depth of a run: `npm test`, `npm test -- --ci`, and `npm test -- --full`. A soak takes longer than each of them.
 */
export type Depth = 'quick' | 'ci' | 'full';

function depthOf(name: string | undefined): Depth {
  if (soak > 1) return 'full';
  if (name === undefined || name === 'quick') return 'quick';
  if (name === 'ci' || name === 'full') return name;
  throw new RangeError(`SLUICE_DEPTH is quick, ci or full: received ${name}`);
}

export const depth = depthOf(env['SLUICE_DEPTH']);

const DEPTHS: readonly Depth[] = ['quick', 'ci', 'full'];

/** Returns whether the run has at least the depth `least`. */
export function reaches(least: Depth): boolean {
  return DEPTHS.indexOf(depth) >= DEPTHS.indexOf(least);
}

/** Returns the value for the depth of the run. */
export function byDepth<T>(values: Readonly<Record<Depth, T>>): T {
  return values[depth];
}

/**
 * Returns the rows of a table of tests in a full run only. Use it for rows that differ from another row in numbers or
 * one option.
 */
export function atFullDepth<const Row>(...rows: readonly Row[]): readonly Row[] {
  return depth === 'full' ? rows : [];
}

/** Returns the rows of a table of tests except in a quick run. Use it for rows that take long and find little. */
export function exceptQuick<const Row>(...rows: readonly Row[]): readonly Row[] {
  return reaches('ci') ? rows : [];
}

/** Returns every n-th row of a large table of tests in a quick run, and all rows in CI. */
export function oneIn<const Row>(n: number, rows: readonly Row[]): readonly Row[] {
  return reaches('ci') ? rows : rows.filter((_, index) => index % n === 0);
}

/** Returns a number of operations, multiplied by the factor of a soak. */
export function scale(operations: number): number {
  return operations * soak;
}

/** A run outside the soak performs one in SHARE operations of a storm. */
const SHARE = byDepth({ quick: 48, ci: 24, full: 12 });

/** Returns a number of operations: one in SHARE of them in a run, all of them times `SLUICE_SOAK` in a soak. */
export function shortOf(operations: number): number {
  return soak === 1 ? Math.ceil(operations / SHARE) : operations * soak;
}

/** Returns `normal` in a test and `long` in a soak (twice `long` with `SLUICE_SOAK=20`). */
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

  /** Prints a summary: `name: 12000 operations in 0.8 s, seed 42`. */
  done(operations: number, details = ''): void {
    const seconds = ((performance.now() - this.#began) / 1000).toFixed(1);
    console.log(
      `${this.name}: ${operations} operations in ${seconds} s, seed ${this.seed}${details === '' ? '' : `, ${details}`}`,
    );
  }
}
