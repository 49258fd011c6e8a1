// Random schedules, for scenarios that are too large to search. A search also uses them to learn which words agents
// share. Equal seeds give equal schedules.

import { Machine } from './machine.ts';
import { Tally } from './tally.ts';
import { agentOf, bitOf, RUN, transitionOf } from './transition.ts';
import type { Options, Scenario } from './types.ts';

/** mulberry32 */
function randomSource(seed: number): (n: number) => number {
  let state = seed | 0;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((((t ^ (t >>> 14)) >>> 0) * n) / 4294967296) | 0;
  };
}

/** Probabilities, in percent, that the last agent continues. Each execution draws one of them. */
const STICKINESS: readonly number[] = [0, 50, 80, 95];

export class RandomWalk {
  readonly machine: Machine;
  readonly tally: Tally;
  readonly #random: (n: number) => number;
  readonly #executions: number;
  readonly #preemptions: number;

  constructor(
    scenario: Scenario,
    options: Options & { random: { seed: number; executions: number } },
    machine = new Machine(scenario, options),
  ) {
    this.machine = machine;
    this.tally = new Tally(options);
    this.#random = randomSource(options.random.seed);
    this.#executions = options.random.executions;
    this.#preemptions = options.preemptions ?? Infinity;
  }

  run(): readonly (readonly [transition: number, branch: number])[] | undefined {
    const { machine, tally } = this;
    while (tally.executions + tally.deadlocks < this.#executions && !tally.limited) {
      machine.sharing.adopt();
      machine.reset();
      const path = this.#walk();
      if (machine.session.failure !== undefined) return path;
    }
    return undefined;
  }

  /**
   * Walks for about `operations` operations. Treats each word that proves shared as shared from then on. Ignores
   * failures.
   */
  learn(operations: number): void {
    const { machine, tally } = this;
    const end = tally.operations + operations;
    while (tally.operations < end && !tally.limited) {
      machine.sharing.adopt();
      machine.reset();
      this.#walk();
    }
  }

  #walk(): [number, number][] {
    const { machine, tally } = this;
    const path: [number, number][] = [];
    const stickiness = STICKINESS[this.#random(STICKINESS.length)] ?? 0;
    let last = -1;
    let preemptions = this.#preemptions;
    while (machine.session.failure === undefined && !machine.sharing.outdated && !tally.isOver()) {
      const branching = machine.branching();
      if (branching >= 0) {
        const branch = this.#random(machine.branches(branching));
        path.push([transitionOf(branching, RUN), branch]);
        machine.perform(transitionOf(branching, RUN), branch);
        continue;
      }
      const enabled = machine.enabled();
      if (enabled === 0) {
        tally.end(machine);
        break;
      }
      const own = last >= 0 ? enabled & bitOf(last, RUN) : 0;
      const goesOn = own !== 0 && (preemptions === 0 || this.#random(100) < stickiness);
      const transition = goesOn ? transitionOf(last, RUN) : this.#pick(enabled);
      if (own !== 0 && agentOf(transition) !== last) preemptions -= 1;
      last = agentOf(transition);
      path.push([transition, 0]);
      machine.perform(transition, 0);
      if (path.length > tally.maxOperations)
        machine.session.fail('livelock', `an execution of more than ${tally.maxOperations} operations`);
    }
    tally.states += path.length;
    return path;
  }

  #pick(bits: number): number {
    const choices: number[] = [];
    for (let transition = 0; transition < 32; transition += 1)
      if (((bits >>> transition) & 1) === 1) choices.push(transition);
    return choices[this.#random(choices.length)] ?? 0;
  }
}
