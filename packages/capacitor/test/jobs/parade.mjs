// @ts-check
// Workers that come to a capacitor when they are told to, some of them only to leave again, and write down when they
// got in.
import { openGate } from './gates.mjs';

/** @import { JobContext } from '@sluice/harness' */
/** @import { AnyGateHandle } from './gates.mjs' */

/** Words of a worker: a number that is raised when it is to come or to leave, how it comes, how often it left. */
export const TURN = 0;
export const WAY = 1;
export const LEFT = 2;
export const WORKER_WORDS = 4;
/** Values of the word WAY. */
export const BLOCKING = 0;
export const PATIENT = 1;
export const ASYNC = 2;
export const LEAVES = 3;
/** Value of the word TURN: go home. */
export const HOME = -1;
/** Longer than any wait that ends well. */
const PATIENCE_MS = 60_000;

/** `log`: the number admitted in this round, then each of them. */
/** @typedef {{ gate: AnyGateHandle, control: Int32Array, log: Int32Array }} ParadeData */

/** @param {ParadeData} data @param {JobContext} context */
export async function parade({ gate: handle, control, log }, { index }) {
  const gate = openGate(handle);
  const mine = index * WORKER_WORDS;
  for (let turn = 0; ; turn++) {
    Atomics.wait(control, mine + TURN, turn);
    if (Atomics.load(control, mine + TURN) === HOME) return;
    const way = Atomics.load(control, mine + WAY);
    if (way === LEAVES) {
      turn += 1;
      await comeAndLeave();
      continue;
    }
    if (way === ASYNC) await gate.arriveAsync();
    else if (way === BLOCKING) gate.arrive();
    else if (!gate.tryArrive(PATIENCE_MS)) throw new Error('a waiter lost patience');
    log[Atomics.add(log, 0, 1) + 1] = index;
    gate.depart();

    async function comeAndLeave() {
      const controller = new AbortController();
      const wait = gate.arriveAsync({ signal: controller.signal });
      await Atomics.waitAsync(control, mine + TURN, turn).value;
      controller.abort();
      const admitted = await wait.then(
        () => true,
        () => false,
      );
      if (admitted) throw new Error('a waiter got in that should have left');
      Atomics.add(control, mine + LEFT, 1);
    }
  }
}
