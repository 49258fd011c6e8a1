// Kills connections repeatedly while calls are made.

import { until, type Ground } from './server.ts';

/** The minimum time between two kills. */
const PAUSE_MS = 40;

/**
 * Kills the connections of subscribers and, every second time, those of commands until `all` settles. Returns how
 * often.
 *
 * It kills again only when a call has ended since. Otherwise a busy machine would make no headway: its calls would take
 * longer than the pause.
 */
export async function killUntil(
  all: Promise<unknown>,
  command: Ground['command'],
  ended: () => number,
): Promise<number> {
  const state = { over: false };
  const stop = (): void => void (state.over = true);
  all.then(stop, stop);
  let kills = 0;
  while (!state.over) {
    const before = ended();
    await command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    if (kills++ % 2 === 0) await command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    await until('a call ends', () => state.over || ended() > before);
  }
  return kills;
}
