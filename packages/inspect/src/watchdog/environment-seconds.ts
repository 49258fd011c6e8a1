// Times that the environment tells in seconds.

import { LONGEST_MS, show } from '@sluice/core/calls';
import process from 'node:process';

/**
 * Returns the ms that the variable tells in seconds, `undefined` for '0' and '', and `otherwise` if it is not set.
 * Throws `RangeError`.
 */
export function msInVariable(variable: string, otherwise?: number): number | undefined {
  const text = process.env[variable];
  if (text === undefined) return otherwise;
  if (text.trim() === '' || Number(text) === 0) return undefined;
  const ms = Math.round(Number(text) * 1000);
  if (ms >= 1 && ms <= LONGEST_MS) return ms;
  throw new RangeError(`${variable} must be a time in seconds, such as 5: received ${show(text)}`);
}
