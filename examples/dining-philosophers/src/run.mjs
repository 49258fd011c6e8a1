import { dine } from './dine.mjs';
import { Page } from './page.mjs';
import * as report from './report.mjs';
import { startView } from './view.mjs';

/**
 * Returns whether every check held, as far as the run came before `signal` ended it.
 * @param {import('./options.mjs').Options} options
 * @param {AbortSignal} signal
 */
export async function run(options, signal) {
  let ok = true;
  const page = options.page ? new Page() : undefined;
  report.header(options);
  for (const solution of options.solutions) {
    if (signal.aborted) break;
    const view = startView(solution, options.philosophers * options.meals, options.view);
    const evening = await dine(solution, options, signal, view.look, (arena) => page?.show(arena)).finally(view.stop);
    report.evening(solution, options, evening, signal.aborted);
    ok &&= evening.faults.length === 0 && evening.forksAddUp && evening.atRest;
  }
  return ok;
}
