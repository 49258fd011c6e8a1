// What a random test prints: the seed to repeat it with, and how much it did.

import { Random } from './random.mjs';

const { env } = process;

/** `SLUICE_SOAK=1` (or `=20`, for that many times as much) makes the long tests long. */
export const soak = env['SLUICE_SOAK'] === undefined ? 1 : Math.max(10, Number(env['SLUICE_SOAK']) || 0);

/** How much a run does: `npm test`, `npm test -- --ci`, and `npm test -- --full`; the soak is longer still. */
export type Depth = 'quick' | 'ci' | 'full';

function depthOf(name: string | undefined): Depth {
  if (soak > 1) return 'full';
  if (name === undefined || name === 'quick') return 'quick';
  if (name === 'ci' || name === 'full') return name;
  throw new RangeError(`SLUICE_DEPTH is quick, ci or full: received ${name}`);
}

export const depth = depthOf(env['SLUICE_DEPTH']);

const DEPTHS: readonly Depth[] = ['quick', 'ci', 'full'];

/** Whether the run is as deep as that, or deeper. */
export function reaches(least: Depth): boolean {
  return DEPTHS.indexOf(depth) >= DEPTHS.indexOf(least);
}

/** A value that depends on the depth of the run. */
export function byDepth<T>(values: Readonly<Record<Depth, T>>): T {
  return values[depth];
}

/** Rows of a table of tests that differ from another one in numbers or in one option: only a full run takes them. */
export function atFullDepth<const Row>(...rows: readonly Row[]): readonly Row[] {
  return depth === 'full' ? rows : [];
}

/** A number of operations, multiplied when soaking. */
export function scale(operations: number): number {
  return operations * soak;
}

/** The part that a run takes of a storm: one in so many operations. */
const SHARE = byDepth({ quick: 48, ci: 24, full: 12 });

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
    console.log(
      `${this.name}: ${operations} operations in ${seconds} s, seed ${this.seed}${details === '' ? '' : `, ${details}`}`,
    );
  }
}
