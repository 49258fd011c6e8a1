// Producers and consumers of a bounded buffer. Closing the buffer ends both: a blocked call throws.

import { BoundedBuffer, hasCode } from 'sluice';
import { counter, INSIDE, OUTSIDE, PASSES } from '../shared/control.ts';
import type { Jobs } from '../shared/messages.ts';
import { about, isStopped, spend } from './spend.ts';

export function produce(control: Int32Array, worker: number, data: Jobs['produce']): void {
  const buffer = BoundedBuffer.from(data.buffer);
  untilClosed(control, () => {
    spend(control, about(Atomics.load(control, OUTSIDE)));
    buffer.push(worker);
    Atomics.add(control, counter(0, worker, PASSES), 1);
  });
}

export function consume(control: Int32Array, worker: number, data: Jobs['consume']): void {
  const buffer = BoundedBuffer.from(data.buffer);
  untilClosed(control, () => {
    buffer.pop();
    Atomics.add(control, counter(0, worker, PASSES), 1);
    spend(control, about(Atomics.load(control, INSIDE)));
  });
}

function untilClosed(control: Int32Array, round: () => void): void {
  try {
    while (!isStopped(control)) round();
  } catch (error) {
    if (!hasCode(error, 'SLUICE_CLOSED')) throw error;
  }
}
