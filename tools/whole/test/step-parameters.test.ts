import { expect, test } from 'vitest';
import { EVENT } from '../../../packages/auto-reset-event/src/kinds.ts';
import { LATCH } from '../../../packages/barrier/src/kinds.ts';
import { CONDITION } from '../../../packages/mutex/src/condition/kinds.ts';
import { MAX_PARAMETERS } from '../../../packages/core/src/memory/traps.ts';
import { wasmSteps, type KernelSource } from '../../../packages/core/src/kernel/kernel.ts';
import { MANUAL_EVENT } from '../../../packages/event/src/kinds.ts';
import { LIMIT_KERNEL } from '../../../packages/limit/src/kernel/kernel.ts';
import { EVENT_COUNT } from '../../../packages/classics/src/event-count/kinds.ts';
import { MCS } from '../../../packages/classics/src/kinds.ts';
import { MUTEX } from '../../../packages/mutex/src/kinds.ts';
import { RATE_KERNEL } from '../../../packages/limit/src/rate/kernel/kernel.ts';
import { RW_LOCK } from '../../../packages/rw-lock/src/kinds.ts';

type Step = (...args: number[]) => number;

const kernels: readonly KernelSource<never>[] = [
  CONDITION.kernel,
  EVENT.kernel,
  EVENT_COUNT.kernel,
  LATCH.kernel,
  LIMIT_KERNEL,
  MANUAL_EVENT.kernel,
  MCS.kernel,
  MUTEX.kernel,
  RATE_KERNEL,
  RW_LOCK.kernel,
];

test.each(kernels)('no wrapped step of $entry has more parameters than the wrapper for traps passes on', (kernel) => {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 2, shared: true });
  const steps = Object.entries<Step>(wasmSteps(kernel, memory));
  expect(steps.length).toBeGreaterThan(0);
  // Uncontended steps are not wrapped.
  const bare: readonly string[] = kernel.uncontended;
  expect(steps.filter(([name, step]) => !bare.includes(name) && step.length > MAX_PARAMETERS)).toEqual([]);
});
