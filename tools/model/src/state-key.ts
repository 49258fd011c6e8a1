// The 64-bit hash of a whole state. An agent's own state is its log; this file adds the other parts. For an agent
// that has ended, only its outcome counts, because it does nothing more.

import { ASLEEP, type AgentState } from './agent-state.ts';
import type { Machine } from './machine.ts';
import { DIE, FINISH } from './operation.ts';
import type { Watch } from './watch.ts';
import { highHalf, lowHalf } from './wide.ts';

const ENDED = 0x27d4eb2f;

export class StateKey {
  a = 0;
  b = 0;
  /** A number for each outcome. Outcomes are compared by value. */
  readonly #outcomes = new Map<unknown, number>();

  /** Computes the hash. `last` is the agent that a transition of another agent would preempt, or -1. */
  compute(machine: Machine, last: number): void {
    this.a = machine.memory.hashA;
    this.b = machine.memory.hashB;
    for (let index = 0; index < machine.states.length; index += 1) {
      const state = machine.state(index);
      const { status, operation, watch } = state;
      const outcome = this.#numberOf(state);
      if (outcome === undefined) {
        const { log } = machine.agent(index).seam;
        this.#mix(log.hashA);
        this.#mix(log.hashB);
      } else {
        this.#mix(ENDED);
        this.#mix(outcome);
      }
      const place = status === ASLEEP ? this.#placeInQueue(machine, index, operation.address) : 0;
      this.#mix(status | (operation.kind << 4) | (place << 9));
      if (watch !== undefined) this.#mixWatch(watch);
    }
    this.#mix(machine.wakesLeft * 16 + last + 1);
  }

  /**
   * Returns a number for the outcome of an agent that has ended or is about to end. Returns `undefined` for any other
   * agent.
   */
  #numberOf({ operation, outcome }: AgentState): number | undefined {
    if (operation.kind === DIE) return 0;
    if (operation.kind !== FINISH || (typeof outcome === 'object' && outcome !== null) || typeof outcome === 'function')
      return undefined;
    const known = this.#outcomes.get(outcome) ?? this.#outcomes.size + 1;
    this.#outcomes.set(outcome, known);
    return known;
  }

  #mixWatch({ addresses, values }: Watch): void {
    this.#mix(-1 - addresses.length);
    for (const address of addresses) this.#mix(address);
    for (const value of values) {
      this.#mix(typeof value === 'bigint' ? lowHalf(value) : value);
      if (typeof value === 'bigint') this.#mix(highHalf(value));
    }
  }

  #placeInQueue(machine: Machine, index: number, address: number): number {
    let place = 0;
    for (const sleeper of machine.sleepers) {
      if (sleeper === index) break;
      if (machine.state(sleeper).operation.address === address) place += 1;
    }
    return place;
  }

  #mix(value: number): void {
    let a = Math.imul(this.a ^ value, 0x85ebca6b);
    a ^= a >>> 15;
    let b = Math.imul((this.b + a) ^ ((value << 16) | (value >>> 16)), 0xc2b2ae35);
    b ^= b >>> 13;
    this.a = (a + b) | 0;
    this.b = b;
  }
}
