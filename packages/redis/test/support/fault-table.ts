// What the tests of faults have seen, for the table that `npm run test:faults` prints beside what the README promises.

import { appendFileSync } from 'node:fs';
import { env } from 'node:process';

/** The file in which `npm run test:faults` collects it. */
const file = env['SLUICE_FAULTS'];

/** A time that a busy machine may miss, so no test fails by it. */
export interface Goal {
  readonly text: string;
  readonly isMet: boolean;
}

/** `fault`: the first column of a row of the README's table. */
export function seen(fault: string, what: string, goal?: Goal): void {
  console.log(`${fault}: ${what}${goal === undefined ? '' : ` (${goal.text}: ${goal.isMet ? 'met' : 'missed'})`}`);
  if (file !== undefined) appendFileSync(file, `${JSON.stringify([fault, what, goal])}\n`);
}

/** A number that is small in a test run and as large as the table says in `npm run test:faults`. */
export function faultSize(normal: number, full: number): number {
  return file === undefined ? normal : full;
}

/** A number so that `part` of the sorted numbers are at most as large. */
export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
