// Kills the processes of a namespace, the serving one and others, in a fixed pseudo-random order. After each death all
// living processes go on, no lock has two holders, and nothing is lost.

import { byDepth, soak } from '@sluice/harness';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platform } from 'node:process';
import { expect, test } from 'vitest';
import { end, servingChild, start, until, type Child } from './support/children.ts';
import { checkHistory } from './support/history.ts';

const KILLS = soak > 1 ? 1000 : byDepth({ quick: 10, ci: 30, full: 100 });
const PROCESSES = 4;
/** No lease ends in this test: only deaths give anything to others. */
const LEASE = '600000';

/** A generator of pseudo-random numbers (mulberry32). */
function generator(seed: number): (below: number) => number {
  let a = seed;
  return (below) => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const entered = ({ lines }: Child): number => lines.filter((line) => line.startsWith('entered')).length;

async function goOn(children: readonly Child[], what: string): Promise<void> {
  const before = children.map(entered);
  // A child that waits in line has the whole line before it: twice more, and the line has moved once round.
  await until(what, () => children.every((child, i) => entered(child) >= (before[i] ?? 0) + 2), 600_000);
}

test.skipIf(platform !== 'linux')(`${KILLS} deaths of processes, the serving one and others`, async () => {
  const runtime = mkdtempSync(join(tmpdir(), 'sluice-deaths-'));
  const file = join(runtime, 'history');
  writeFileSync(file, '');
  const below = generator(20_261_130);
  const children = Array.from({ length: PROCESSES }, () => start('locker', runtime, 'deaths', LEASE, file));
  const all = [...children];
  let servers = 0;
  try {
    await goOn(children, 'all processes have entered');
    for (let i = 0; i < KILLS; i++) {
      // Every other death is that of the serving process.
      const serving = below(2) === 0 ? servingChild(runtime, children) : undefined;
      if (serving !== undefined) servers++;
      const victim = serving ?? children[below(children.length)];
      if (victim === undefined) throw new Error('there is no process');
      appendFileSync(file, `! ${victim.pid}\n`);
      await end(victim);
      const next = start('locker', runtime, 'deaths', LEASE, file);
      children[children.indexOf(victim)] = next;
      all.push(next);
      await goOn(children, `all processes have entered after death ${i}`);
    }
    expect(all.flatMap(({ lines }) => lines.filter((line) => /WRONG|LOST/.test(line)))).toEqual([]);
    const { wrong, takes } = checkHistory(readFileSync(file, 'utf8'));
    expect(wrong).toBe('');
    console.log(
      `${KILLS} deaths, ${servers} of them of the serving process; ${takes} takes, 0 double holders, 0 stuck`,
    );
  } finally {
    for (const child of children) await end(child);
    rmSync(runtime, { recursive: true, force: true });
  }
});
