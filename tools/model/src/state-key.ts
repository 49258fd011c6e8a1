// The 64-bit hash of a whole state. An agent's local state is its log; what else it takes is added here.

import { ASLEEP } from './agent.ts';
import type { Machine } from './machine.ts';
import type { Watch } from './watch.ts';
import { highHalf, lowHalf } from './wide.ts';

export class StateKey {
  a = 0;
  b = 0;

  /** `last`: the agent that a preemption would take the turn from, or -1. */
  compute(machine: Machine, last: number): void {
    this.a = machine.memory.hashA;
    this.b = machine.memory.hashB;
    for (let index = 0; index < machine.states.length; index += 1) {
      const { status, operation, watch } = machine.state(index);
      const { log } = machine.agent(index).seam;
      const place = status === ASLEEP ? this.#placeInQueue(machine, index, operation.address) : 0;
      this.#mix(log.hashA);
      this.#mix(log.hashB);
      this.#mix(status | (operation.kind << 4) | (place << 9));
      if (watch !== undefined) this.#mixWatch(watch);
    }
    this.#mix(machine.wakesLeft * 16 + last + 1);
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
