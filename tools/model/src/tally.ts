// The counts and limits of one exploration, and the checks at the end of an execution.

import type { Machine } from './machine.ts';
import { ASLEEP, KILLED, RETURNED } from './agent-state.ts';
import type { Options } from './types.ts';

const DEFAULT_OPERATIONS = 5000;

export class Tally {
  executions = 0;
  merged = 0;
  states = 0;
  operations = 0;
  deadlocks = 0;
  limited = false;
  readonly maxOperations: number;
  readonly startedAt = performance.now();
  readonly #maxExecutions: number;
  readonly #maxMillis: number;
  readonly #budget: number;

  constructor(options: Options) {
    this.maxOperations = options.maxOperations ?? DEFAULT_OPERATIONS;
    this.#maxExecutions = options.maxExecutions ?? Infinity;
    this.#maxMillis = options.maxMillis ?? Infinity;
    this.#budget = options.budget ?? Infinity;
  }

  startPass(): void {
    this.executions = 0;
    this.merged = 0;
    this.states = 0;
    this.operations = 0;
    this.deadlocks = 0;
  }

  /** Counts an operation. Returns whether a limit is reached. */
  isOver(): boolean {
    if (this.executions >= this.#maxExecutions || this.operations >= this.#budget) this.limited = true;
    if ((this.operations & 255) === 0 && performance.now() - this.startedAt > this.#maxMillis) this.limited = true;
    if (!this.limited) this.operations += 1;
    return this.limited;
  }

  /** Checks the end of an execution: no agent can go on. */
  end(machine: Machine): void {
    const { scenario } = machine;
    const words = machine.checkingWords;
    if (machine.hasEnded()) {
      this.executions += 1;
      if (scenario.final)
        machine.session.judge('assertion', 'the final check', () => scenario.final?.(words, machine.outcomes()));
      return;
    }
    this.deadlocks += 1;
    if (scenario.stuck)
      machine.session.judge('deadlock', 'the check of the deadlock', () => scenario.stuck?.(words, machine.outcomes()));
    else machine.session.fail('deadlock', describeDeadlock(machine));
  }
}

function describeDeadlock(machine: Machine): string {
  const lines = machine.states.flatMap((state, index) => {
    if (state.status === RETURNED || state.status === KILLED) return [];
    const { name } = machine.agent(index);
    const word = machine.scenario.label?.(state.operation.address) ?? `0x${state.operation.address.toString(16)}`;
    if (state.status === ASLEEP) return [`${name} sleeps on ${word}`];
    return [state.watch === undefined ? `${name} waits for a death` : `${name} spins on ${word}`];
  });
  return `no agent can go on: ${lines.join(', ')}`;
}
