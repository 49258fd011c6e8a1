// Puts an int32 in or takes it out in one step of the kernel (kernel/number.ts).

import {
  asCorrupt,
  WAITING,
  type AgentAddress,
  type AgentContext,
  type LineAddress,
  type LocalState,
  type Place,
} from '@sluice/core/internal';
import { callsAt, type Calls } from './calls.ts';
import { WALK } from './kernel/states.ts';
import { BUFFER, type BufferKernel } from './kinds.ts';
import { placeOfLine, TURNS } from './lines.ts';
import type { Side } from './side.ts';

/** One side of a buffer of int32. */
export class Int32Side {
  readonly #context: AgentContext;
  readonly #agent: AgentAddress;
  readonly #address: LineAddress;
  readonly #localState: LocalState;
  readonly #calls: Calls;
  readonly #pass: BufferKernel['passInt32'];

  constructor(place: Place, which: number, side: Side) {
    const { context } = place;
    const { kernel } = context.load(BUFFER);
    this.#context = context;
    this.#agent = context.agent;
    this.#address = side.address;
    this.#localState = side.lock.localState;
    this.#calls = callsAt(placeOfLine(place, TURNS, which));
    this.#pass = kernel.passInt32;
  }

  /**
   * On the producers' side puts `value` in; on the consumers' side takes a value out. 0 or more: done, and the low 32
   * bits are the value. Otherwise nothing is done: call `Side.goOn`.
   */
  pass(value: number): number {
    if (this.#calls.pending > 0) return WAITING;
    const passed = this.#pass(this.#address, this.#localState.tag, this.#agent, value);
    if (passed >= WALK) this.#finishWalk();
    return passed;
  }

  #finishWalk(): void {
    try {
      this.#context.finishWalk();
    } catch (failure) {
      throw asCorrupt(failure);
    }
  }
}
