// The common part of every primitive that has its own block with a line of waiters, and at which agents wait without
// owning it.

import { Account, type AccountShape } from '../account/account.ts';
import type { AgentContext, LocalState } from '../agent/agent-context.ts';
import { contextOf, type Arena } from '../arena/arena.ts';
import { isUsed } from '../report/in-use.ts';
import { readName } from '../memory/name.ts';
import { finishPending } from '../recovery/reclaim.ts';
import {
  checkNotFreed,
  checkPlace,
  chosenArena,
  createPrimitive,
  freePrimitive,
  openPrimitive,
} from '../primitive/primitive.ts';
import type { Place } from '../arena/place.ts';
import type { PrimitiveHandle } from '../memory/handle.ts';
import { checkOptions, checkTimeout, FROM_OPTIONS, PLACED_OPTIONS } from '../api/check.ts';
import { BLOCK_LINE } from '../kernel/layout.ts';
import { SHUT, TAKEN, type HandOver, type Release } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import type { Kind } from '../agent/kind.ts';
import type { WaitOptions } from '../api/wait-options.ts';
import { INSPECT, oneLine } from '../api/one-line.ts';
import { mayBlock } from '../agent/parking.ts';
import type { LockOptions } from './placed-entrance.ts';
import { mergePolicy, type WaitingPolicy } from '../api/policy.ts';
import { Bouncer, type QueueBehaviour, type Visit } from './bouncer.ts';
import { refuseToBlock } from '../api/failures.ts';
import { checkWait } from '../api/wait-options.ts';
import type { LineReport } from '../report/semaphore-report.ts';
import { refusePosting } from '../platform/unpostable.ts';

const NO_OPTIONS: WaitOptions = {};

/** A package's specification of its primitive: the behaviour of its waiters and the words of its messages. */
export interface LineShape<Steps extends object> extends AccountShape {
  readonly kind: Kind<Steps>;
  /** For messages, such as 'The mutex'. */
  readonly what: string;
  readonly behaviour: QueueBehaviour;
  /** Returns the visit with which each wait begins. */
  readonly visit: (place: Place) => Visit;
}

/**
 * Creates a block of one line of that kind, and returns it with this agent's policy. `fill` writes the words that do
 * not start as 0. `bytes` is the size of the block, for a line with data behind it. Throws as `create` does.
 */
export function createLine<Steps extends object>(
  kind: Kind<Steps>,
  options: LockOptions,
  { recorded = false }: QueueBehaviour,
  fill: (words: Words, line: number) => void,
  bytes = BLOCK_LINE,
): [Place, WaitingPolicy] {
  checkOptions(options, PLACED_OPTIONS);
  const arena = chosenArena(options.arena);
  const policy = mergePolicy(arena.policy, options.policy);
  const context = contextOf(arena);
  // Load the kind before the block is allocated: the agent may lack its kernel, and the creation must not stop
  // half-way.
  const { steps: line } = context.load(kind);
  if (recorded) context.reserveEntry();
  const place = createPrimitive(arena, kind.code, bytes, options.name, (words, address, tag) => {
    fill(words, address);
    if (recorded) context.localState(address, tag, { recorded, line });
  });
  return [place, policy];
}

/** Opens a primitive of that kind, and returns it with this agent's policy. Throws as `from` does. */
export function openLine<Steps extends object>(
  kind: Kind<Steps>,
  handle: PrimitiveHandle<string>,
  options: Pick<LockOptions, 'policy'>,
): [Place, WaitingPolicy] {
  checkOptions(options, FROM_OPTIONS);
  const place = openPrimitive(handle, kind);
  return [place, mergePolicy(place.arena.policy, options.policy)];
}

/** A line without public calls that wait, for a primitive whose waits return something. */
export abstract class PlacedWaits {
  readonly #place: Place;
  readonly #shape: Pick<LineShape<never>, 'className' | 'what'>;
  readonly #account: Account;
  readonly #bouncer: Bouncer;
  readonly #mayBlock = mayBlock();

  protected constructor(place: Place, policy: WaitingPolicy, shape: LineShape<never>) {
    refusePosting(this);
    checkPlace(place, shape.className);
    this.#place = place;
    this.#shape = shape;
    this.#account = new Account(shape, place);
    const { steps: line } = place.context.load(shape.kind);
    this.#bouncer = new Bouncer(place, policy, { ...shape.behaviour, line }, shape.visit(place), this.#account);
  }

  // Accessors, not fields: code that enumerates an instance would see fields.
  protected get place(): Place {
    return this.#place;
  }

  protected get context(): AgentContext {
    return this.#place.context;
  }

  protected get localState(): LocalState {
    return this.#bouncer.localState;
  }

  /** Returns the title that messages use, such as "Mutex 'accounts'". */
  toString(): string {
    return this.#account.toString();
  }

  /** The name given to `create`; '' if none was given. */
  get name(): string {
    this.checkThere();
    return readName(this.context.words, this.#place.address);
  }

  /** The arena that contains the primitive. */
  get arena(): Arena {
    return this.#place.arena;
  }

  /** The number of waiters, for reports and tests. The call reads the records of all waiters of the arena. */
  get waiting(): number {
    return this.reportLine().waiters.length;
  }

  abstract inspect(): object;

  /** Returns the fields that `console.log` shows. */
  protected abstract shown(): Readonly<Record<string, unknown>>;

  [INSPECT](): string {
    return oneLine(this.#shape.className, () => ({ name: this.name, ...this.shown() }));
  }

  /**
   * Frees the primitive's memory, which another primitive may reuse.
   *
   * No agent may be inside a call on the primitive. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If agents wait at the primitive or hold something of it, or it was already freed.
   */
  free(): void {
    this.checkUnused();
    freePrimitive(this.#place, this.#shape.what);
  }

  /**
   * Checks that the primitive is not in use.
   *
   * @throws {MisuseError} If agents wait at the primitive or hold something of it, or it was freed.
   */
  protected checkUnused(): void {
    this.checkThere();
    // The recovery of a dead agent may wait for an agent with this kind.
    finishPending(this.context);
    // A waiter that was admitted but has not read its verdict yet counts as a use, too.
    if (isUsed(this.context, this.#place) || this.isAwaited()) throw this.#account.inUse();
  }

  /** Returns whether agents wait in a line of the primitive other than the first. */
  protected isAwaited(): boolean {
    return false;
  }

  /**
   * Reports the waiters.
   *
   * @throws {MisuseError} If the primitive was freed.
   */
  protected reportLine(): LineReport {
    this.checkThere();
    return this.#bouncer.inspect();
  }

  /** Wakes the waiters that a step admitted. `released` is the result of the step. */
  protected wake(released: Release | HandOver): void {
    if (released === SHUT) this.checkThere();
    this.#bouncer.wake(released);
  }

  protected checkThere(): void {
    checkNotFreed(this.#place, this.#shape.what);
  }

  /**
   * Checks that this thread may block.
   *
   * @throws {MisuseError} If this thread may not block.
   */
  protected checkBlocking(): void {
    if (!this.#mayBlock) refuseToBlock();
  }

  /**
   * Waits for at most `timeoutMs` ms, and returns whether the call was admitted. Checks neither the argument nor the
   * thread.
   */
  protected enter(timeoutMs: number): boolean {
    const outcome = this.#bouncer.enter(timeoutMs);
    if (outcome === SHUT) this.checkThere();
    return outcome === TAKEN;
  }

  /**
   * Waits as `enter` does, without blocking. Calls `entered` in the turn of the event loop in which the call is
   * admitted. Rejects as `waitAsync` does. `callTimeout` is the timeout of the whole call, if this wait is not the
   * call's first.
   */
  protected async enterAsync(options: WaitOptions, entered?: () => void, callTimeout?: number): Promise<void> {
    const checked = options === NO_OPTIONS ? options : checkWait(options);
    if ((await this.#bouncer.enterAsync(checked, entered, callTimeout)) === SHUT) this.checkThere();
  }
}

export abstract class PlacedLine extends PlacedWaits {
  /**
   * Waits until the call is admitted, blocking the calling thread.
   *
   * @throws {MisuseError} On a browser's main thread; use `waitAsync`.
   * @throws {DeadlockError} If this agent has an earlier async waiter in the line, which could not settle while the
   *   agent is blocked. A line that admits all waiters together never throws it.
   * @throws {ArenaFullError} If the arena has no room for the waiter.
   */
  wait(): void {
    this.checkBlocking();
    if (!this.enter(0)) this.enter(Infinity);
  }

  /**
   * Waits until the call is admitted, for at most `timeoutMs` ms. Returns whether the call was admitted.
   *
   * With 0, the default, the call does not wait.
   *
   * @param timeoutMs - Milliseconds, 0 or more; `Infinity` for no limit.
   * @throws The errors of `wait`, but `DeadlockError` only if `timeoutMs` is `Infinity`.
   */
  tryWait(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.enter(timeoutMs);
  }

  /**
   * Waits until the call is admitted, without blocking the thread.
   *
   * A pending wait keeps the event loop alive, unless `ref` is `false`. Rejects with `TimeoutError`, `signal.reason` or
   * `ArenaFullError`.
   */
  async waitAsync(options: WaitOptions = NO_OPTIONS): Promise<void> {
    await this.enterAsync(options);
  }
}
