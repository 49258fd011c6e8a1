// Passing an int32 in one step of the kernel. Steps: kernel/number.ts.

import { asCorrupt, IDLE, NEEDS_WALK, WAITING, type AgentAddress, type AgentContext, type LineAddress, type LocalState, type Place } from '@sluice/core/internal';
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
  readonly #pushInt32: BufferKernel['pushInt32'];
  readonly #popInt32: BufferKernel['popInt32'];

  constructor(place: Place, which: number, side: Side) {
    const { context } = place;
    const { kernel } = context.load(BUFFER);
    this.#context = context;
    this.#agent = context.agent;
    this.#address = side.address;
    this.#localState = side.lock.localState;
    this.#calls = callsAt(placeOfLine(place, TURNS, which));
    this.#pushInt32 = kernel.pushInt32;
    this.#popInt32 = kernel.popInt32;
  }

  /** For producers. IDLE: `value` is in. Otherwise it is not, and `Side.goOn` has to follow. */
  push(value: number): number {
    if (this.#calls.pending > 0) return WAITING;
    const seen = this.#pushInt32(this.#address, this.#localState.tag, this.#agent, value);
    if (seen !== NEEDS_WALK) return seen;
    this.#finishWalk();
    return IDLE;
  }

  /** For consumers. 0 or more: a value is out, and it is the low 32 bits. Otherwise none is, and `Side.goOn` has to follow. */
  pop(): number {
    if (this.#calls.pending > 0) return WAITING;
    const taken = this.#popInt32(this.#address, this.#localState.tag, this.#agent);
    if (taken >= WALK) this.#finishWalk();
    return taken;
  }

  #finishWalk(): void {
    try {
      this.#context.finishWalk();
    } catch (failure) {
      throw asCorrupt(failure);
    }
  }
}
