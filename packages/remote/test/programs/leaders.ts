// Candidates for one leadership. The engines' tests run them.

import type { Space } from '../../src/index.ts';

async function untilWaiting(space: Space, waits: number): Promise<void> {
  for (;;) {
    const { primitives } = await space.report();
    if (primitives.find(({ kind }) => kind === 'Leader')?.waiters.length === waits) return;
  }
}

/**
 * The first of three leads and resigns, and the next one leads until its space is closed. Returns which of them led, in
 * order, and how their calls ended.
 */
export async function leaders(first: Space, second: Space, third: Space): Promise<[led: string[], ends: string[]]> {
  const led: string[] = [];
  const ends: string[] = [];
  const tokens: bigint[] = [];
  const began = new Map<string, () => void>();
  const begin = (name: string): Promise<void> => new Promise((resolve) => began.set(name, resolve));
  const [firstLeads, secondLeads, thirdLeads] = [begin('first'), begin('second'), begin('third')];
  let resign = (): void => undefined;

  const lead = (name: string, space: Space, body: (signal: AbortSignal) => Promise<string>): Promise<string> =>
    space.leader('indexer', (signal, { fencingToken }) => {
      led.push(name);
      tokens.push(fencingToken);
      began.get(name)?.();
      return body(signal);
    });

  const one = lead('first', first, () => new Promise((resolve) => (resign = () => resolve('resigned'))));
  await firstLeads;
  const two = lead(
    'second',
    second,
    (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  );
  await untilWaiting(first, 1);
  const three = lead('third', third, () => Promise.resolve('short'));
  await untilWaiting(first, 2);
  resign();
  ends.push(await one);
  await secondLeads;
  const lost = two.catch((failure: unknown) => (failure as { code?: string }).code ?? String(failure));
  await second.close();
  ends.push(await lost);
  await thirdLeads;
  ends.push(await three);
  if (tokens.some((token, n) => n > 0 && token <= (tokens[n - 1] ?? 0n))) ends.push('a token did not grow');
  return [led, ends];
}

export const LEADERS = [
  ['first', 'second', 'third'],
  ['resigned', 'SLUICE_CLOSED', 'short'],
];

/** Each of two coordinators is asked for the same times at once. Returns how often each time was run. */
export async function elections(first: Space, second: Space): Promise<number[]> {
  const coordinators = [first.cronCoordinator(), second.cronCoordinator()];
  const times = Array.from({ length: 20 }, (_, n) => `report:2026-11-30T03:00:${String(n).padStart(2, '0')}.000Z`);
  return Promise.all(
    times.map(async (key) => {
      const answers = await Promise.all(coordinators.map((coordinator) => coordinator.shouldRun(key, 60_000)));
      const again = await Promise.all(coordinators.map((coordinator) => coordinator.shouldRun(key, 60_000)));
      return [...answers, ...again].filter((runs) => runs).length;
    }),
  );
}
