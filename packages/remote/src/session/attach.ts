// The first call of a session.

import { Interrupted, type RemoteEngine } from '../engine/engine.ts';
import { pause, type Timing } from '../engine/timing.ts';

export const RETRY_MS = 50;
/** The number of attempts before the caller learns that the server cannot be reached. */
const TRIES = 20;

/**
 * Begins a lease. Resolves with the generation with which it began. `former` is the earlier session, if any. Rejects
 * with `EngineError` or `Interrupted`.
 */
export async function attach(
  engine: RemoteEngine,
  timing: Timing,
  id: string,
  lease: number,
  label: string,
  former?: string,
): Promise<number> {
  for (let generation = 1; ; generation++) {
    try {
      const [answer, format = ''] = await engine.run(
        ['attach', id, generation, lease, label, engine.format, ...(former === undefined ? [] : [former])],
        true,
      );
      if (answer !== 'format') return generation;
      throw engine.otherFormat(format);
    } catch (failure) {
      if (!(failure instanceof Interrupted) || generation === TRIES) throw failure;
      await pause(timing, engine.retryMs);
    }
  }
}
