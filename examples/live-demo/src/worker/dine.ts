// One philosopher. A fork is a mutex; each philosopher takes the fork with the lower number first, so no cycle of waits
// can form.

import { Mutex } from 'sluice';
import { counter, DOING, INSIDE, OUTSIDE, PASSES } from '../shared/control.ts';
import type { Jobs } from '../shared/messages.ts';
import { EATS, HUNGRY, THINKS } from '../shared/seats.ts';
import { about, isStopped, spend } from './spend.ts';

export function dine(control: Int32Array, worker: number, { forks }: Jobs['dine']): void {
  const both = [worker, (worker + 1) % forks.length]
    .sort((a, b) => a - b)
    .map((fork) => Mutex.from(forks[fork] ?? fail(fork)));
  const [first = fail(0), second = fail(1)] = both;
  const doing = counter(0, worker, DOING);
  while (!isStopped(control)) {
    Atomics.store(control, doing, THINKS);
    spend(control, about(Atomics.load(control, OUTSIDE)));
    if (isStopped(control)) break;
    Atomics.store(control, doing, HUNGRY);
    first.run(() =>
      second.run(() => {
        Atomics.store(control, doing, EATS);
        spend(control, about(Atomics.load(control, INSIDE)));
        Atomics.add(control, counter(0, worker, PASSES), 1);
      }),
    );
  }
  Atomics.store(control, doing, THINKS);
}

function fail(fork: number): never {
  throw new Error(`No fork ${fork}`);
}
