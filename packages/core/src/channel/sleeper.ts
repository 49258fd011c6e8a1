// One element for all async waits of an agent that are woken in one place: a wake-up costs the same however many there are.
//
// No lost wake-up, this end: a wait is added before the sleeper looks for the last time, or while it hangs in the chain of its bucket,
// or while it is awake and has yet to look. The other end is the post, which changes what is looked at and detaches the chain then.

import type { AgentContext } from '../arena/agent-context.ts';
import { mayRetry } from '../arena/retry.ts';
import { MODE_ASYNC } from '../kernel/layout.ts';
import { CANCELLED, RACED } from '../kernel/states.ts';
import { gateOpens, type Abort } from './gate.ts';
import { noteClaim } from './waiting.ts';

/** What it looks at, and where. */
export interface Vigil {
  /** The bucket at which it is to sleep now; 0: nothing is waited for. */
  bucket(): number;
  /** Ends the waits whose turn has come. */
  settle(): void;
  /** It cannot go on: ends all waits. */
  fail(failure: unknown): void;
}

/** What reports count is noted in other elements. */
const NO_CLAIM = { tag: 0, permits: 0 };

export class Sleeper {
  readonly #context: AgentContext;
  readonly #vigil: Vigil;
  readonly #move: Abort = { happened: false, end: () => undefined };
  #isOn = false;
  /** Where its element hangs. */
  #at = 0;

  constructor(context: AgentContext, vigil: Vigil) {
    this.#context = context;
    this.#vigil = vigil;
  }

  /** A wait was added: it looks, and sleeps if it does not do so already. Throws `ArenaFullError`; then it does not. */
  begin(): void {
    if (this.#isOn) return;
    const element = this.#take();
    this.#isOn = true;
    void this.#run(element);
  }

  /** A wait ended without a look of the sleeper's: it may have to sleep elsewhere, or not at all. */
  look(): void {
    if (this.#vigil.bucket() !== this.#at) this.#move.end();
  }

  async #run(first: number): Promise<void> {
    let element = first;
    try {
      for (let bucket = this.#vigil.bucket(); bucket !== 0; bucket = this.#vigil.bucket()) {
        if (element === 0) element = this.#take();
        const isWoken = await this.#sleep(element, bucket);
        if (!isWoken && !this.#leave(element)) element = 0;
        this.#vigil.settle();
      }
      this.#isOn = false;
      if (element !== 0) this.#context.keep(element);
    } catch (failure) {
      this.#isOn = false;
      this.#vigil.fail(failure);
    }
  }

  /** Whether it was woken: then the element is off its chain. */
  async #sleep(element: number, bucket: number): Promise<boolean> {
    const { kernel, agent } = this.#context;
    for (let tries = 1; kernel.pushOntoChain(element, bucket, 0, MODE_ASYNC) === RACED; tries++) mayRetry(tries);
    this.#at = bucket;
    this.#vigil.settle();
    if (this.#vigil.bucket() !== bucket) return false;
    const how = await gateOpens(this.#context, element, false, Infinity, this.#move);
    if (how !== 'open') return false;
    kernel.moveOn(agent, element);
    this.#context.finishWalk();
    return true;
  }

  /** Takes the element off its chain. False: it stays there, and is not ours any more. */
  #leave(element: number): boolean {
    const { kernel, agent } = this.#context;
    let left: number;
    let tries = 0;
    do left = kernel.leaveChain(agent, element);
    while (left === RACED && mayRetry(++tries));
    this.#context.finishWalk();
    return left === CANCELLED;
  }

  #take(): number {
    const element = this.#context.takeElement();
    noteClaim(this.#context, element, NO_CLAIM);
    return element;
  }
}
