// @ts-check Workers that arrive at a capacitor when they are told to, some of them only to cancel, and record when they
// were admitted.
import { openGate } from './gates.mjs';

/** @import { JobContext } from '@sluice/harness' */
/** @import { AnyGateHandle } from './gates.mjs' */

/**
 * Words of a worker: a number that is increased when it is to arrive or cancel, its way to arrive, the number of its
 * cancellations.
 */
export const TURN = 0;
export const WAY = 1;
export const LEFT = 2;
export const WORKER_WORDS = 4;
/** Values of the word WAY. */
export const BLOCKING = 0;
export const PATIENT = 1;
export const ASYNC = 2;
export const LEAVES = 3;
/** Value of the word TURN: end. */
export const HOME = -1;
/** Longer than any wait that succeeds. */
const PATIENCE_MS = 60_000;

/** `log`: the number of agents admitted in this round, then each of them. */
/** @typedef {{ gate: AnyGateHandle, control: Int32Array, log: Int32Array }} ArrivalData */

/** @param {ArrivalData} data @param {JobContext} context */
export async function arriveInOrder({ gate: handle, control, log }, { index }) {
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
    else if (!gate.tryArrive(PATIENCE_MS)) throw new Error('a wait timed out');
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
      if (admitted) throw new Error('a waiter was admitted that should have cancelled');
      Atomics.add(control, mine + LEFT, 1);
    }
  }
}
