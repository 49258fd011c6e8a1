// The block of an owned lock: how it is created, and how an agent gets into the lock and out of it. Only the visit and
// the exit differ from lock to lock.

import { PrimitiveErrors, type ErrorShape } from '../error-text/primitive-errors.ts';
import { checkNotFreed, checkOpened, freePrimitive, type BlockOptions } from '../primitive/block.ts';
import type { BlockRef } from '../arena/block-ref.ts';
import { readName } from '../memory/name.ts';
import type { AgentContext, LineState } from '../agent/agent-context.ts';
import { checkTimeout, PLACED_OPTIONS } from '../api/check.ts';
import type { LineAddress } from '../kernel/addresses.ts';
import { BLOCK_LINE, BLOCK_TAG, FLAG_LAST, FLAG_OWNED, FLAGS, OFFICE, OWNERS_AT } from '../kernel/layout.ts';
import { SHUT, TAKEN } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import type { Kind } from '../agent/kind.ts';
import { LockHealth } from '../memory/lock-health.ts';
import { checkWait, NO_WAIT_OPTIONS, type WaitOptions } from '../api/wait-options.ts';
import type { WaitingPolicy } from '../api/waiting-policy.ts';
import { consoleText } from '../api/console-text.ts';
import { WaitLine, type Entered, type QueueBehaviour, type EnterOrEnqueue } from './wait-line.ts';
import type { Entrance } from './entrance.ts';
import { createLine } from './primitive-line.ts';

export type LockOptions = BlockOptions;

/** The initial content of a lock's block. */
export interface LockTraits {
  /** Flags of the kind, by which its steps distinguish its locks. */
  readonly flags?: number;
  /** The options that `create` accepts. Default: the options of every lock. */
  readonly names?: readonly string[];
  /** Whether a ledger entry names the owner. Default: the word OFFICE names it. */
  readonly recorded?: boolean;
  /**
   * The number of bytes of data behind the lock's line, in the same block. If it is not 0, FLAG_LAST is set. Default:
   * 0.
   */
  readonly dataBytes?: number;
  readonly fill?: (words: Words, lock: number) => void;
}

/** Creates a block with a free lock, and returns it with this agent's policy. */
export function createOwnedLock(
  kind: Kind<never>,
  options: LockOptions,
  { flags = 0, names = PLACED_OPTIONS, recorded = false, dataBytes = 0, fill }: LockTraits = {},
): [BlockRef, WaitingPolicy] {
  const owners = recorded ? 0 : 1 << OWNERS_AT;
  const all = FLAG_OWNED | flags | owners | (dataBytes === 0 ? 0 : FLAG_LAST);
  const fillLock = (words: Words, lock: number): void => {
    words.put32(lock + FLAGS, all);
    fill?.(words, lock);
  };
  return createLine(kind, options, { recorded }, fillLock, { bytes: BLOCK_LINE + dataBytes, names });
}

/** A lock package's specification of its kind of lock. */
export interface LockShape {
  readonly className: string;
  /** For messages, such as 'The mutex'. */
  readonly what: string;
  readonly behaviour: QueueBehaviour;
  /** Whether waiters are served in order of arrival. Default: `true`, unless `behaviour` is `unordered`. */
  readonly ordered?: boolean;
  /** Counts the waiters for messages (`ErrorShape.count`). */
  readonly count?: ErrorShape['count'];
  /** The kind of the lock's package. */
  readonly kind: Kind<never>;
  /** Returns the step that enters the contended lock, or enqueues at its box office. */
  readonly enterOrEnqueue: (ref: BlockRef) => EnterOrEnqueue;
  /** Unlocks the lock, which this agent owns: hands it to a waiter, or frees it. */
  readonly exit: (entrance: BlockEntrance) => void;
  /**
   * Waits by a shorter way until this agent owns the lock. Returns false if it changed nothing. Default: there is no
   * shorter way.
   */
  readonly enterShorter?: () => boolean;
  /** Whether this agent owns the lock. Default: whether the word OFFICE names this agent. */
  readonly isOwner?: (entrance: BlockEntrance) => boolean;
  /**
   * Returns whether agents wait although this agent could take the lock. Omit it if the lock is never free while agents
   * wait.
   */
  readonly isAwaited?: (words: Words, lock: LineAddress) => boolean;
}

/** The entrance of a lock that has a block of its own, with one line of waiters. */
export class BlockEntrance implements Entrance {
  readonly ref: BlockRef;
  readonly context: AgentContext;
  readonly health: LockHealth;
  readonly errors: PrimitiveErrors;
  readonly waitLine: WaitLine;
  /** This agent's state for the line. */
  readonly lineState: LineState;
  readonly #shape: LockShape;

  /** `ref` is `undefined` if a program calls the constructor of a lock itself. That throws `MisuseError`. */
  constructor(ref: BlockRef | undefined, policy: WaitingPolicy, shape: LockShape) {
    const { className, behaviour, ordered = behaviour.unordered !== true, count, kind, enterOrEnqueue: visit } = shape;
    checkOpened(ref, className);
    this.ref = ref;
    this.context = ref.context;
    this.#shape = shape;
    this.health = new LockHealth(ref.context.words, ref.address);
    this.errors = new PrimitiveErrors(
      { className, late: 'could not be locked', untouched: 'It was not locked.', ordered, count },
      ref,
    );
    const { steps: line } = ref.context.load(kind);
    this.waitLine = new WaitLine(ref, policy, { line, ...behaviour }, visit(ref), this.errors);
    this.lineState = this.waitLine.lineState;
  }

  /** The name given to `create`; '' if none was given. */
  get name(): string {
    this.checkThere();
    return readName(this.context.words, this.ref.address);
  }

  /** Returns the line that `console.log` shows. `inspect` takes the snapshot of the lock. */
  view(inspect: () => LockSnapshot): string {
    return consoleText(this.#shape.className, () => {
      const { owner, consistency, waiters } = inspect();
      return {
        name: this.name,
        owner,
        waiting: waiters.length,
        consistency: consistency === 'consistent' ? undefined : consistency,
      };
    });
  }

  /** Frees the block. Throws `MisuseError` if an agent owns the lock or waits for it, or the lock was already freed. */
  free(): void {
    // Take the lock first, so that no other agent can take it.
    if (!this.tryEnter(0)) throw this.errors.inUse();
    const { words } = this.context;
    if (this.#shape.isAwaited?.(words, this.ref.address) === true) {
      this.exit();
      throw this.errors.inUse();
    }
    freePrimitive(this.ref, this.#shape.what);
  }

  isOwner(): boolean {
    const {
      context: { words, id },
      address,
    } = this.ref;
    // After `free` the block may contain another lock, which this agent may own. After `leave` no block has the local
    // state's tag.
    if (words.load32(address + BLOCK_TAG) !== this.lineState.tag) this.checkThere();
    const { isOwner } = this.#shape;
    return isOwner === undefined ? words.load32(address + OFFICE) === id : isOwner(this);
  }

  enter(): void {
    if (this.#shape.enterShorter?.() === true) return;
    if (this.waitLine.enter(Infinity) === SHUT) this.checkThere();
  }

  tryEnter(timeoutMs: number): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const outcome = this.waitLine.enter(timeoutMs);
    if (outcome === SHUT) this.checkThere();
    return outcome === TAKEN;
  }

  enterAsync(options: WaitOptions = NO_WAIT_OPTIONS, entered?: () => void): Promise<void> | undefined {
    const checked = checkWait(options);
    const outcome = this.waitLine.enterOrWait(checked, entered);
    if (typeof outcome !== 'number') return outcome.then((found) => this.#checkEntered(found));
    this.#checkEntered(outcome);
    return undefined;
  }

  exit(): void {
    this.#shape.exit(this);
  }

  /** Throws `MisuseError` if the lock was freed, or if this agent has left the arena. */
  checkThere(): void {
    checkNotFreed(this.ref, this.#shape.what);
  }

  #checkEntered(outcome: Entered): void {
    if (outcome === SHUT) this.checkThere();
  }
}

/** The part of a lock's snapshot that `console.log` shows. */
interface LockSnapshot {
  readonly owner: number;
  readonly consistency: string;
  readonly waiters: readonly unknown[];
}
