// Kills processes that use a cache, a keyed limit and a keyed rate limiter. After each death the others go on: they
// compute what the dead one computed, and take its slots. No value is torn.

import { byDepth, soak } from '@sluice/harness';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platform } from 'node:process';
import { expect, test } from 'vitest';
import { end, servingChild, start, until, type Child } from './support/children.ts';

const KILLS = soak > 1 ? 1000 : byDepth({ quick: 10, ci: 30, full: 200 });
const PROCESSES = 3;
/** No lease ends in this test: only deaths give anything to others. */
const LEASE = '600000';

const entered = ({ lines }: Child): number => lines.filter((line) => line.startsWith('entered')).length;

async function goOn(children: readonly Child[], what: string): Promise<void> {
  const before = children.map(entered);
  await until(what, () => children.every((child, i) => entered(child) >= (before[i] ?? 0) + 4), 120_000);
}

test.skipIf(platform !== 'linux')(`${KILLS} deaths of processes that use a cache and limits of keys`, async () => {
  const runtime = mkdtempSync(join(tmpdir(), 'sluice-cache-'));
  const children = Array.from({ length: PROCESSES }, () => start('cacher', runtime, 'cache', LEASE));
  const all = [...children];
  try {
    await goOn(children, 'all processes have got values');
    for (let i = 0; i < KILLS; i++) {
      // Every third death is that of the serving process.
      const victim = (i % 3 === 0 ? servingChild(runtime, children) : undefined) ?? children[i % PROCESSES];
      if (victim === undefined) throw new Error('there is no process');
      await end(victim);
      const next = start('cacher', runtime, 'cache', LEASE);
      children[children.indexOf(victim)] = next;
      all.push(next);
      await goOn(children, `all processes have got values after death ${i}`);
    }
    expect(all.flatMap(({ lines }) => lines.filter((line) => line.includes('WRONG')))).toEqual([]);
    const calls = all.reduce((sum, child) => sum + entered(child), 0);
    console.log(`${KILLS} deaths, ${calls} rounds, 0 torn values, 0 stuck`);
  } finally {
    for (const child of children) await end(child);
    rmSync(runtime, { recursive: true, force: true });
  }
});
