// A strict limit whose interval does not end. The engines' tests run it.

import type { Space } from '../../src/index.ts';

export async function strictStarts(first: Space, second: Space): Promise<string[]> {
  const options = { concurrency: 5, interval: 1e9, intervalCap: 2, strict: true } as const;
  const log: string[] = [];
  const limits = [first, second].map((space) => space.limit('api', options));
  const calls = Array.from({ length: 4 }, (_, i) =>
    limits[i % 2]?.(() => void log.push('ran')).catch((failure: { code?: string }) => log.push(String(failure.code))),
  );
  while ((await limits[0]?.inspect())?.waiters.length !== 2);
  log.push(`waiting ${limits.reduce((sum, { pendingCount }) => sum + pendingCount, 0)}`);
  await limits[0]?.close();
  await Promise.all(calls);
  return log;
}

export const STRICT_STARTS = ['ran', 'ran', 'waiting 2', 'SLUICE_CLOSED', 'SLUICE_CLOSED'];
