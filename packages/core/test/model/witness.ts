// Records ownership from the results of kernel steps, beside the code under test. Bodies and invariants compare with
// this record. It is complete even for an agent that dies before its next step.

import type { Context, Words } from '@sluice/model';
import type { Kernel } from '../../src/kernel/kernel.ts';
import { AGENT_STRIDE } from '../../src/kernel/layout.ts';
import { ADMITTED_DETACHED, FOREIGN, OVER_BOUND, OVERFLOW, RACED, SHUT, TAKEN } from '../../src/kernel/states.ts';
import { agentAt, holdsAt, insideAt } from './places.ts';

/** The word `holdsAt` of an agent. */
export const HOLDS = 1;
/** The agent died as the owner, and the next owner must be told. */
export const DIED_HOLDING = 2;

type Step = string;
type Asked = (step: Step, args: readonly number[], words: Words) => boolean;

export interface Rules {
  /** Returns whether an agent that gets TAKEN or ADMITTED_DETACHED from this step becomes an owner. */
  readonly gains: Asked;
  /** Returns whether this step, if it succeeds, ends the ownership. */
  readonly loses: Asked;
  /**
   * Returns whether this step of a recovery passes on the lock of a dead owner. The first argument is the dead agent's
   * record.
   */
  readonly releasesForDeadOwner: Asked;
}

const UNDONE: readonly number[] = [RACED, FOREIGN, OVER_BOUND, OVERFLOW, SHUT];

export function witness(
  kernel: Kernel,
  { words, index }: Context,
  { gains, loses, releasesForDeadOwner }: Rules,
): Kernel {
  const wrap =
    (name: Step, step: (...args: number[]) => number) =>
    (...args: number[]): number => {
      // Ask before the step: after it, the element may belong to another agent.
      const mayGain = !isForDead(name, args) && gains(name, args, words);
      const mayLose = loses(name, args, words);
      if (releasesForDeadOwner(name, args, words)) markDead(words, args[0] ?? 0);
      // Before the step returns, another agent may already own the lock.
      const held = words.get32(holdsAt(index));
      if (mayLose) words.put32(holdsAt(index), 0);
      const result = step(...args);
      if (mayLose && UNDONE.includes(result)) words.put32(holdsAt(index), held);
      if (mayGain && (result === TAKEN || result === ADMITTED_DETACHED)) words.put32(holdsAt(index), HOLDS);
      return result;
    };
  const steps = Object.entries(kernel) as [Step, (...args: number[]) => number][];
  return Object.fromEntries(steps.map(([name, step]) => [name, wrap(name, step)])) as unknown as Kernel;
}

/** Returns whether the step cancels a wait of a dead agent. The caller does not own what such a step takes. */
function isForDead(name: Step, args: readonly number[]): boolean {
  return name.startsWith('cancel') && args[3] === 1;
}

function markDead(words: Words, record: number): void {
  const agent = (record - agentAt(0)) / AGENT_STRIDE;
  words.put32(insideAt(agent), 0);
  if (words.get32(holdsAt(agent)) === HOLDS) words.put32(holdsAt(agent), DIED_HOLDING);
}
