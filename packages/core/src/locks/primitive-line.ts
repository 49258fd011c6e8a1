// The block of a primitive at which agents wait without owning it: how it is created, and how an agent waits in its
// line.

import { PrimitiveErrors, type ErrorShape } from '../error-text/primitive-errors.ts';
import type { AgentContext, LineState } from '../agent/agent-context.ts';
import { isUsed } from '../report/in-use.ts';
import { finishPending } from '../recovery/claim-dead-agent.ts';
import { checkNotFreed, checkOpened, createBlock, freePrimitive, type BlockOptions } from '../primitive/block.ts';
import type { Naming } from '../primitive/primitive.ts';
import type { BlockRef } from '../arena/block-ref.ts';
import { checkOptions, PLACED_OPTIONS } from '../api/check.ts';
import { BLOCK_LINE } from '../kernel/layout.ts';
import { SHUT, TAKEN, type HandOver, type Release } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import type { Kind } from '../agent/kind.ts';
import { checkWait, NO_WAIT_OPTIONS, type WaitOptions } from '../api/wait-options.ts';
import { mayBlock } from '../agent/parking.ts';
import type { WaitingPolicy } from '../api/waiting-policy.ts';
import { WaitLine, type QueueBehaviour, type EnterOrEnqueue } from './wait-line.ts';
import { refuseToBlock } from '../api/failures.ts';
import type { LineReport } from '../report/semaphore-report.ts';

/** A package's specification of its primitive: the behaviour of its waiters and the words of its messages. */
export interface LineShape<Steps extends object> extends ErrorShape {
  readonly kind: Kind<Steps>;
  /** For messages, such as 'The mutex'. */
  readonly what: string;
  readonly behaviour: QueueBehaviour;
  /** Returns the step with which each wait begins: it enters, or enqueues. */
  readonly enterOrEnqueue: (ref: BlockRef) => EnterOrEnqueue;
  /** Whether agents wait in a line of the primitive other than the first. Default: there is no other line. */
  readonly isAwaited?: () => boolean;
}

/** How a line is created, beside the behaviour of its waiters. */
export interface LineCreation {
  /** The size of the block, for a line with data behind it. Default: one line. */
  readonly bytes?: number;
  /** The options that `create` accepts. Default: the options of every primitive. */
  readonly names?: readonly string[];
}

/**
 * Creates a block of one line of that kind, and returns it with this agent's policy. `fill` writes the words that do
 * not start as 0. Throws as `create` does.
 */
export function createLine(
  kind: Kind<never>,
  options: BlockOptions,
  { recorded = false, unordered = false }: QueueBehaviour,
  fill: (words: Words, line: number) => void,
  { bytes = BLOCK_LINE, names = PLACED_OPTIONS }: LineCreation = {},
): [BlockRef, WaitingPolicy] {
  checkOptions(options, names);
  return createBlock(kind, options, {
    bytes,
    entries: recorded ? 1 : 0,
    fill: ({ context, words, address, tag, line }) => {
      fill(words, address);
      if (recorded) context.lineState(address, tag, { recorded, ordered: !unordered, line });
    },
  });
}

/** One agent's waits in the first line of a primitive's block. */
export class PrimitiveLine {
  readonly ref: BlockRef;
  readonly context: AgentContext;
  readonly errors: PrimitiveErrors;
  readonly #shape: LineShape<never>;
  /** This agent's state for the line. */
  readonly lineState: LineState;
  readonly #waitLine: WaitLine;
  readonly #mayBlock = mayBlock();

  /** `ref` is `undefined` if a program calls the constructor of a primitive itself. That throws `MisuseError`. */
  constructor(ref: BlockRef | undefined, policy: WaitingPolicy, shape: LineShape<never>) {
    checkOpened(ref, shape.className);
    this.ref = ref;
    this.context = ref.context;
    this.errors = new PrimitiveErrors(shape, ref);
    this.#shape = shape;
    const { steps: line } = ref.context.load(shape.kind);
    this.#waitLine = new WaitLine(ref, policy, { ...shape.behaviour, line }, shape.enterOrEnqueue(ref), this.errors);
    this.lineState = this.#waitLine.lineState;
  }

  get naming(): Naming {
    return this.#shape;
  }

  /** Throws `MisuseError` if the primitive was freed, or if this agent has left the arena. */
  checkThere(): void {
    checkNotFreed(this.ref, this.#shape.what);
  }

  /** Throws `MisuseError` if this thread may not block. */
  checkBlocking(): void {
    if (!this.#mayBlock) refuseToBlock();
  }

  /** Throws `MisuseError` if agents wait at the primitive or hold something of it, or if it was freed. */
  checkUnused(): void {
    this.checkThere();
    // The recovery of a dead agent may wait for an agent with this kind.
    finishPending(this.context);
    // A waiter that was admitted but has not read its verdict yet counts as a use, too.
    if (isUsed(this.context, this.ref) || this.#shape.isAwaited?.() === true) throw this.errors.inUse();
  }

  /** Frees the block, which has that number of lines. Throws as `checkUnused` does. */
  free(lines = 1): void {
    this.checkUnused();
    freePrimitive(this.ref, this.#shape.what, lines);
  }

  /** Reports the waiters. Throws `MisuseError` if the primitive was freed. */
  report(): LineReport {
    this.checkThere();
    return this.#waitLine.inspect();
  }

  /**
   * Waits for at most `timeoutMs` ms, and returns whether the call was admitted. Checks neither the argument nor the
   * thread.
   */
  enter(timeoutMs: number): boolean {
    const outcome = this.#waitLine.enter(timeoutMs);
    if (outcome === SHUT) this.checkThere();
    return outcome === TAKEN;
  }

  /**
   * Waits as `enter` does, without blocking. Calls `entered` in the turn of the event loop in which the call is
   * admitted. Rejects as `waitAsync` does. `callTimeout` is the timeout of the whole call, if this wait is not the
   * call's first.
   */
  async enterAsync(options: WaitOptions = NO_WAIT_OPTIONS, entered?: () => void, callTimeout?: number): Promise<void> {
    const checked = checkWait(options);
    if ((await this.#waitLine.enterAsync(checked, entered, callTimeout)) === SHUT) this.checkThere();
  }

  /** Wakes the waiters that a step admitted. `released` is the result of the step. */
  wake(released: Release | HandOver): void {
    if (released === SHUT) this.checkThere();
    this.#waitLine.wake(released);
  }
}
