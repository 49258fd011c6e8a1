import { turn } from '../../../core/test/support/turn.ts';

/** Turns the event loop until the condition holds. Otherwise the test's timeout ends it. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turn();
}
