// One worker of a contest: passes through the lock whose turn it is, again and again.

import { counter, INSIDE, LONGEST, OUTSIDE, PASSES, PHASE, STOP } from '../shared/control.ts';
import type { Jobs } from '../shared/messages.ts';
import { openLock, type Lockable } from './locks.ts';
import { spend } from './spend.ts';

export function contest(control: Int32Array, worker: number, { locks }: Jobs['contest']): void {
  const opened = locks.map((spec, phase) => openLock(spec, control, phase));
  for (;;) {
    const phase = Atomics.load(control, PHASE);
    if (phase === STOP) return;
    const lock = opened[phase];
    if (lock === undefined) throw new Error(`No lock ${phase}`);
    while (Atomics.load(control, PHASE) === phase) pass(control, lock, phase, worker);
  }
}

function pass(control: Int32Array, lock: Lockable, phase: number, worker: number): void {
  const began = performance.now();
  lock.lock();
  try {
    const waited = Math.round((performance.now() - began) * 1000);
    const longest = counter(phase, worker, LONGEST);
    if (waited > Atomics.load(control, longest)) Atomics.store(control, longest, waited);
    // The workers that still wait when the page goes on to the next lock pass without effect.
    if (Atomics.load(control, PHASE) !== phase) return;
    spend(control, Atomics.load(control, INSIDE));
    Atomics.add(control, counter(phase, worker, PASSES), 1);
  } finally {
    lock.unlock();
  }
  const outside = Atomics.load(control, OUTSIDE);
  if (outside > 0) spend(control, outside);
}
