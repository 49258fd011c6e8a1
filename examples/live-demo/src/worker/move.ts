// Moves money from one account to the other under a mutex, in two writes. A worker that dies between them leaves a unit
// missing, and the next owner of the mutex is told.

import { Mutex } from 'sluice';
import { ACCOUNTS, counter, DOING, INSIDE, PASSES, PILLOW, REPAIRS, VICTIM } from '../shared/control.ts';
import { MOVES, RESTS, TOTAL, TRAPPED } from '../shared/ledger.ts';
import type { Jobs } from '../shared/messages.ts';
import { isStopped, spend } from './spend.ts';

export function move(control: Int32Array, worker: number, data: Jobs['move']): void {
  const mutex = Mutex.from(data.mutex);
  while (!isStopped(control)) {
    mutex.run(
      () => {
        const from = ACCOUNTS + ((control[ACCOUNTS] ?? 0) > TOTAL / 2 ? 0 : 1);
        const to = from === ACCOUNTS ? ACCOUNTS + 1 : ACCOUNTS;
        Atomics.sub(control, from, 1);
        Atomics.store(control, counter(0, worker, DOING), MOVES);
        spend(control, Atomics.load(control, INSIDE));
        if (Atomics.load(control, VICTIM) === worker + 1) stay(control, worker);
        Atomics.add(control, to, 1);
        Atomics.add(control, counter(0, worker, PASSES), 1);
        Atomics.store(control, counter(0, worker, DOING), RESTS);
      },
      {
        onOwnerDied: (guard) => {
          Atomics.store(control, ACCOUNTS + 1, TOTAL - Atomics.load(control, ACCOUNTS));
          Atomics.add(control, REPAIRS, 1);
          guard.markConsistent();
        },
      },
    );
  }
}

/**
 * Until the page terminates this worker. Chromium lets a terminated worker run on for up to two seconds: here it can do
 * nothing meanwhile.
 */
function stay(control: Int32Array, worker: number): void {
  Atomics.store(control, counter(0, worker, DOING), TRAPPED);
  while (Atomics.load(control, VICTIM) === worker + 1) Atomics.wait(control, PILLOW, 0, 100);
}
