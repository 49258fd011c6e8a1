import { turn } from '../../../core/test/support/turn.ts';

/** Turns the event loop until it is so; the test's timeout ends it otherwise. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}
