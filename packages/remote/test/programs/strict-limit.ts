// A strict limit whose interval does not end. The engines' tests run it.

import type { Space } from '../../src/index.ts';

export async function strictStarts(first: Space, second: Space): Promise<string[]> {
  const options = { concurrency: 5, interval: 1e9, intervalCap: 2, strict: true } as const;
  const log: string[] = [];
  const [limit, other] = [first.limit('api', options), second.limit('api', options)];
  const calls = [limit, other, limit, other].map((each) =>
    each(() => void log.push('ran')).catch((failure: unknown) => log.push(String((failure as { code?: string }).code))),
  );
  while ((await limit.inspect()).waiters.length !== 2);
  log.push(`waiting ${limit.pendingCount + other.pendingCount}`);
  await limit.close();
  await Promise.all(calls);
  return log;
}

export const STRICT_STARTS = ['ran', 'ran', 'waiting 2', 'SLUICE_CLOSED', 'SLUICE_CLOSED'];
