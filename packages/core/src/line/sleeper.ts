// The sleeper: one element that sleeps for all async waits of an agent at one bucket. So the cost of a wake-up does not
// depend on the number of waits.
//
// Lost wake-up, waiter side: each wait is added before the sleeper's last check, or while the sleeper's element is in
// the bucket's chain, or while the sleeper is awake and will check again. Pairs with `signalChain`, whose caller
// changes the condition before it detaches the chain. If the sleeper settled its waits before it pushed its element
// (the mutant "a sleeper settles its waits before the push instead of after it"), the condition could change and the
// empty chain be detached in between, and the sleeper would sleep.

import type { AgentContext } from '../agent/agent-context.ts';
import { retryWhileRaced } from '../memory/retry.ts';
import { MODE_ASYNC } from '../kernel/layout.ts';
import { CANCELLED } from '../kernel/states.ts';
import { gateOpens, type Abort } from './element-gate.ts';
import { noteClaim } from './condition-claim.ts';
import type { BucketAddress, ElementAddress } from '../kernel/addresses.ts';

/** The waits that a sleeper serves. */
export interface SleeperClient {
  /** Returns the bucket at which the sleeper should sleep now, or 0 if there is no wait. */
  bucket(): BucketAddress | 0;
  /** Settles the waits that are due. */
  settle(): void;
  /** Rejects all waits, because the sleeper failed. */
  fail(failure: unknown): void;
}

/** The claim of the sleeper's own element. Reports count the claims of the waits' elements instead. */
const NO_CLAIM = { tag: 0, permits: 0 };

export class Sleeper {
  readonly #context: AgentContext;
  readonly #client: SleeperClient;
  readonly #move: Abort = { happened: false, end: () => undefined };
  #isOn = false;
  /** The bucket whose chain has the element. */
  #at = 0;

  constructor(context: AgentContext, client: SleeperClient) {
    this.#context = context;
    this.#client = client;
  }

  /**
   * Starts the sleeper unless it already runs. Call it after adding a wait. Throws `ArenaFullError` if no element is
   * available; then the sleeper did not start.
   */
  begin(): void {
    if (this.#isOn) return;
    const element = this.#take();
    this.#isOn = true;
    void this.#run(element);
  }

  /**
   * Moves or ends the sleeper if it should now sleep at another bucket or not at all. Call it after a wait ended
   * without the sleeper.
   */
  look(): void {
    if (this.#client.bucket() !== this.#at) this.#move.end();
  }

  async #run(first: ElementAddress): Promise<void> {
    let element: ElementAddress | 0 = first;
    try {
      for (let bucket = this.#client.bucket(); bucket !== 0; bucket = this.#client.bucket()) {
        if (element === 0) element = this.#take();
        const isWoken = await this.#sleep(element, bucket);
        if (!isWoken && !this.#leave(element)) element = 0;
        this.#client.settle();
      }
      this.#isOn = false;
      if (element !== 0) this.#context.keep(element);
    } catch (failure) {
      this.#isOn = false;
      this.#client.fail(failure);
    }
  }

  /** Sleeps at the bucket. Returns `true` if the sleeper was woken; then the element is off its chain. */
  async #sleep(element: ElementAddress, bucket: BucketAddress): Promise<boolean> {
    const { kernel, agent } = this.#context;
    retryWhileRaced(() => kernel.pushOntoChain(element, bucket, 0, MODE_ASYNC));
    this.#at = bucket;
    this.#client.settle();
    if (this.#client.bucket() !== bucket) return false;
    const how = await gateOpens(this.#context, element, false, Infinity, this.#move);
    if (how !== 'open') return false;
    kernel.moveOn(agent, element);
    this.#context.finishWalk();
    return true;
  }

  /** Takes the element off its chain. Returns `false` if the element stays there; then this agent no longer owns it. */
  #leave(element: ElementAddress): boolean {
    const { kernel, agent } = this.#context;
    const left = retryWhileRaced(() => kernel.leaveChain(agent, element));
    this.#context.finishWalk();
    return left === CANCELLED;
  }

  #take(): ElementAddress {
    const element = this.#context.takeElement(MODE_ASYNC);
    noteClaim(this.#context, element, NO_CLAIM);
    return element;
  }
}
