// The first call of a session.

import { RedisError } from '../server/errors.ts';
import { FORMAT } from '../scripts/script.ts';
import { Interrupted, type ScriptCaller } from '../server/server.ts';
import { pause, type Timing } from '../server/timing.ts';

export const RETRY_MS = 50;
/** The number of attempts before the caller learns that the server cannot be reached. */
const TRIES = 20;

/**
 * Begins a lease. Resolves with the generation with which it began. `former` is the earlier session, if any. Rejects
 * with `RedisError` or `Interrupted`.
 */
export async function attach(
  caller: ScriptCaller,
  timing: Timing,
  id: string,
  lease: number,
  label: string,
  former?: string,
): Promise<number> {
  for (let generation = 1; ; generation++) {
    try {
      const [answer, format = ''] = await caller.call(
        ['attach', id, generation, lease, label, FORMAT, ...(former === undefined ? [] : [former])],
        true,
      );
      if (answer !== 'format') return generation;
      throw new RedisError(
        `The namespace is in use by another version of @sluice/redis (format ${format}; this is ${FORMAT}). Use another namespace, or the same version everywhere.`,
      );
    } catch (failure) {
      if (!(failure instanceof Interrupted) || generation === TRIES) throw failure;
      await pause(timing, RETRY_MS);
    }
  }
}
