// Records, beside the code under test, which agent became an owner by the result of which kernel step: the truth that
// bodies and invariants compare with. An agent that dies before its next step dies with this known.

import type { Context, Words } from '@sluice/model';
import type { Kernel } from '../../src/kernel/kernel.ts';
import { AGENT_STRIDE } from '../../src/kernel/layout.ts';
import { ADMITTED_DETACHED, FOREIGN, OVER_BOUND, OVERFLOW, RACED, SHUT, TAKEN } from '../../src/kernel/states.ts';
import { agentAt, holdsAt, insideAt } from './places.ts';

/** The word `holdsAt` of an agent. */
export const HOLDS = 1;
/** It died as the owner, and the next owner is to be told. */
export const DIED_HOLDING = 2;

type Step = string;
type Asked = (step: Step, args: readonly number[], words: Words) => boolean;

export interface Rules {
  /** Whether an agent that gets TAKEN or ADMITTED_DETACHED from this step is an owner from then on. */
  readonly gains: Asked;
  /** Whether this step, when it does its work, ends that. */
  readonly loses: Asked;
  /** Whether this step of a recovery, on the record that comes first, passes on what a dead owner had. */
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
      // Asked before: afterwards an element may be another agent's.
      const mayGain = !isForDead(name, args) && gains(name, args, words);
      const mayLose = loses(name, args, words);
      if (releasesForDeadOwner(name, args, words)) markDead(words, args[0] ?? 0);
      // In the middle of the step another agent may own it already.
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

/** It cancels a wait of a dead agent: what it takes is not the caller's. */
function isForDead(name: Step, args: readonly number[]): boolean {
  return (name === 'leave' || name.startsWith('cancel')) && args[3] === 1;
}

function markDead(words: Words, record: number): void {
  const agent = (record - agentAt(0)) / AGENT_STRIDE;
  words.put32(insideAt(agent), 0);
  if (words.get32(holdsAt(agent)) === HOLDS) words.put32(holdsAt(agent), DIED_HOLDING);
}
