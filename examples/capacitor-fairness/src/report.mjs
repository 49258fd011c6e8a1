// The output for each run, and the summary.
import { nameOf } from './run.mjs';

const BAR_WIDTH = 40;
const MAX_LINES = 16;

/** @param {import('./run.mjs').Outcome} outcome */
export function report({ wrapping, counts, exact }) {
  const most = Math.max(1, ...counts);
  const lines = counts.slice(0, MAX_LINES).map((count, index) => {
    const bar = '#'.repeat(Math.round((BAR_WIDTH * count) / most)).padEnd(BAR_WIDTH);
    return `  worker ${String(index + 1).padStart(2)} ${bar} ${count}`;
  });
  if (counts.length > MAX_LINES) lines.push(`  and ${counts.length - MAX_LINES} more`);
  if (!exact) lines.push('  COUNTS WERE LOST: the lock admitted two workers at the same time');
  return `\n${nameOf(wrapping)}\n${lines.join('\n')}\n`;
}

/** @param {import('./run.mjs').Outcome[]} outcomes */
export function summary(outcomes) {
  const rows = outcomes.map(({ wrapping, counts, seconds }) => {
    const all = counts.reduce((sum, count) => sum + count, 0);
    const [least, most] = [Math.min(...counts), Math.max(...counts)];
    const rate = (all / seconds / 1e6).toFixed(2);
    return `${nameOf(wrapping).padEnd(12)} ${rate.padStart(9)} M/s   ${(most === 0 ? 1 : least / most).toFixed(2).padStart(8)}`;
  });
  return `\n${''.padEnd(12)} ${'throughput'.padStart(13)}   ${'min/max'.padStart(8)}\n${rows.join('\n')}\n`;
}
