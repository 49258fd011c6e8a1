// Waiting in line without blocking: Atomics.waitAsync on the element's own gate.

import type { Seat, Standing } from '../arena/seat.ts';
import { PARKED, SHUT, TAKEN, WAITING } from '../kernel/states.ts';
import { keepAlive, letGo, LONGEST_MS, setRef } from '../keep-alive.ts';
import type { WaitOptions } from '../lock.ts';
import { enterChain, leaveLine } from './line.ts';

/** What an async wait ends with: a verdict, or the reason to give up that was first. */
export interface Ending {
  readonly verdict: number;
  readonly aborted: boolean;
}

/** Waits with a ticket that was just drawn. After GONE the element is no longer the caller's. */
export function waitInLineAsync(seat: Seat, standing: Standing, element: number, options: WaitOptions): Promise<Ending> {
  return new Promise((resolve) => {
    const { timeout = Infinity, signal, ref = true } = options;
    const { entry } = standing;
    let pending = true;
    const timer = timeout > LONGEST_MS ? undefined : setTimeout(() => giveUp(false), timeout);
    const abort = (): void => giveUp(true);

    standing.asyncWaits += 1;
    if (ref) keepAlive();
    else if (timer !== undefined) setRef(timer, false);
    signal?.addEventListener('abort', abort);
    enterChain(seat, element);
    look();

    /** Looks at the gate; parks and comes back here when notified. */
    function look(): void {
      while (pending) {
        const seen = seat.kernel.poll(element, entry);
        if (seen !== WAITING) return end(seen, false);
        // Whatever gate this finds, the wait below starts only on PARKED.
        seat.kernel.park(element);
        const woken = seat.waitAsync(element, PARKED);
        if (woken !== undefined) return void woken.then(wake);
      }
    }

    function wake(): void {
      // After the wait has ended the element may serve another one: then this wake-up is an old one's echo.
      if (!pending) return;
      seat.countPark();
      look();
    }

    function giveUp(aborted: boolean): void {
      const left = leaveLine(seat, element, entry);
      // A waitAsync cannot be cancelled: wake it, so that the engine does not keep it for ever.
      seat.notify(element);
      end(left, aborted && left !== TAKEN && left !== SHUT);
    }

    function end(verdict: number, aborted: boolean): void {
      pending = false;
      standing.asyncWaits -= 1;
      if (ref) letGo();
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve({ verdict, aborted });
    }
  });
}
