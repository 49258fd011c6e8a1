// Results as text.

import type { Result } from './types.ts';

const count = (n: number, unit: string): string => `${n.toLocaleString('en-US')} ${unit}`;

/** Returns one line: the extent of the exploration and its outcome. */
export function summary(result: Result): string {
  const { failure, preemptions } = result;
  const bound = preemptions === undefined ? '' : ` within ${count(preemptions, 'preemptions')}`;
  const extent = result.exhausted ? `all schedules${bound}` : `some schedules${bound}`;
  const verdict = failure === undefined ? `passed, ${extent}` : `FAILED (${failure.kind})`;
  const counts = [
    count(result.executions, 'schedules'),
    count(result.merged, 'merged'),
    count(result.states, 'states'),
    count(result.operations, 'operations'),
    `${Math.round(result.millis)} ms`,
  ];
  return `${result.scenario}: ${verdict}: ${counts.join(', ')}`;
}

/** Returns the summary. After a failure, adds its message and its schedule. */
export function report(result: Result): string {
  if (result.failure === undefined) return summary(result);
  return [summary(result), result.failure.message, ...result.failure.trace].join('\n');
}
