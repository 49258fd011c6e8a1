// The observations of the tests of faults, for the tables that `npm run test:faults` prints beside what is promised.

import { appendFileSync } from 'node:fs';
import { env } from 'node:process';

/** The file in which `npm run test:faults` collects the observations. */
const file = env['SLUICE_FAULTS'];

/** Records a time. No test fails by it, because a busy machine may miss it. */
export interface Goal {
  readonly text: string;
  readonly isMet: boolean;
}

/** `fault`: the first column of a row of the README's table. */
export function seen(fault: string, what: string, goal?: Goal): void {
  console.log(`${fault}: ${what}${goal === undefined ? '' : ` (${goal.text}: ${goal.isMet ? 'met' : 'missed'})`}`);
  if (file !== undefined) appendFileSync(file, `${JSON.stringify([fault, what, goal])}\n`);
}

export type EngineName = 'local' | 'redis' | 'postgres';

/** `fault`: the first column of a row of the table of all engines. */
export function seenOn(engine: EngineName, fault: string, what: string): void {
  console.log(`${fault}, ${engine}: ${what}`);
  if (file !== undefined) appendFileSync(file, `${JSON.stringify([fault, what, null, engine])}\n`);
}

/** Returns a number that is small in a test run, and as large as in the table in `npm run test:faults`. */
export function faultSize(normal: number, full: number): number {
  return file === undefined ? normal : full;
}

/** Returns a quantile: the number such that `part` of the sorted numbers are at most as large. */
export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}
