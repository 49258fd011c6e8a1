// The common part of every owned lock with its own block. Only the uncontended visit and the exit differ from lock to
// lock.

import { Account, type AccountShape } from '../account/account.ts';
import {
  chosenArena,
  checkNotFreed,
  checkPlace,
  createPrimitive,
  freePrimitive,
  loadKind,
} from '../primitive/primitive.ts';
import type { Place } from '../arena/place.ts';
import { contextOf, type Arena } from '../arena/arena.ts';
import { readName } from '../memory/name.ts';
import type { AgentContext, LocalState } from '../agent/agent-context.ts';
import { checkOptions, checkTimeout, PLACED_OPTIONS } from '../api/check.ts';
import type { MisuseError } from '../api/errors.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { BLOCK_LINE, BLOCK_TAG, FLAG_LAST, FLAG_OWNED, FLAGS, OFFICE, OWNERS_AT } from '../kernel/layout.ts';
import { SHUT, TAKEN } from '../kernel/states.ts';
import type { Words } from '../kernel/words.ts';
import type { Kind } from '../agent/kind.ts';
import { LockHealth } from '../report/lock-health.ts';
import type { WaitOptions } from '../api/wait-options.ts';
import { OwnedLock } from './owned-lock.ts';
import { mergePolicy, type WaitingPolicy } from '../api/policy.ts';
import { INSPECT, oneLine } from '../api/one-line.ts';
import { refusePosting } from '../platform/unpostable.ts';
import { Bouncer, type Entered, type QueueBehaviour, type Visit } from './bouncer.ts';
import { checkWait } from '../api/wait-options.ts';

export interface LockOptions {
  /** The arena that contains the lock. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Name for reports and messages, at most 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** The policy of this agent's waits for the lock. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

const NO_OPTIONS: WaitOptions = {};

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
export function createOwnedLock<Steps extends object>(
  kind: Kind<Steps>,
  options: LockOptions,
  { flags = 0, names = PLACED_OPTIONS, recorded = false, dataBytes = 0, fill = nothing }: LockTraits = {},
): [Place, WaitingPolicy] {
  checkOptions(options, names);
  const arena = chosenArena(options.arena);
  const policy = mergePolicy(arena.policy, options.policy);
  const context = contextOf(arena);
  // Load the kind before the lock exists: the agent may lack its kernel, and the creation must not stop half-way.
  const { steps: line } = loadKind(context, kind);
  if (recorded) context.reserveEntry();
  const place = createPrimitive(arena, kind.code, BLOCK_LINE + dataBytes, options.name, (words, lock, tag) => {
    words.put32(lock + FLAGS, FLAG_OWNED | flags | (recorded ? 0 : 1 << OWNERS_AT) | (dataBytes === 0 ? 0 : FLAG_LAST));
    fill(words, lock);
    if (recorded) context.localState(lock, tag, { recorded, line });
  });
  return [place, policy];
}

function nothing(): void {
  // All other words of the block start as 0.
}

/** A lock package's specification of its kind of lock. */
export interface LockShape {
  readonly className: string;
  /** For messages, such as 'The mutex'. */
  readonly what: string;
  readonly behaviour: QueueBehaviour;
  /** Whether waiters are served in order of arrival. Default: `true`, unless `behaviour` is `unordered`. */
  readonly ordered?: boolean;
  /** Counts the waiters for messages (`AccountShape.count`). */
  readonly count?: AccountShape['count'];
  /** The kind of the lock's package. */
  readonly kind?: Kind<never>;
}

export abstract class PlacedLock extends OwnedLock {
  readonly #place: Place;
  readonly #health: LockHealth;
  readonly #bouncer: Bouncer;
  readonly #localState: LocalState;
  readonly #account: Account;
  readonly #className: string;
  readonly #what: string;

  protected constructor(
    place: Place,
    policy: WaitingPolicy,
    { className, what, behaviour, ordered = behaviour.unordered !== true, count, kind }: LockShape,
  ) {
    super();
    refusePosting(this);
    checkPlace(place, className);
    this.#place = place;
    this.#what = what;
    this.#className = className;
    this.#health = new LockHealth(place.context.words, place.address);
    this.#account = new Account(
      { className, late: 'could not be locked', untouched: 'It was not locked.', ordered, count },
      place,
    );
    const line = kind === undefined ? undefined : place.context.load(kind).steps;
    this.#bouncer = new Bouncer(
      place,
      policy,
      line === undefined ? behaviour : { line, ...behaviour },
      this.visitOf(place),
      this.#account,
    );
    this.#localState = this.#bouncer.localState;
  }

  // Accessors, not fields: code that enumerates an instance would see fields.
  protected override get health(): LockHealth {
    return this.#health;
  }

  protected get place(): Place {
    return this.#place;
  }

  protected get context(): AgentContext {
    return this.#place.context;
  }

  protected get kernel(): Kernel {
    return this.#place.context.kernel;
  }

  protected get bouncer(): Bouncer {
    return this.#bouncer;
  }

  abstract inspect(): { readonly owner: number; readonly consistency: string; readonly waiters: readonly unknown[] };

  override [INSPECT](): string {
    return oneLine(this.#className, () => {
      const { owner, consistency, waiters } = this.inspect();
      return {
        name: this.name,
        owner,
        waiting: waiters.length,
        consistency: consistency === 'consistent' ? undefined : consistency,
      };
    });
  }

  /** Returns the contended visit. The constructor calls it once. */
  protected abstract visitOf(place: Place): Visit;

  /** The name given to `create`; '' if none was given. */
  get name(): string {
    this.checkThere();
    return readName(this.context.words, this.place.address);
  }

  /** The arena that contains the lock. */
  get arena(): Arena {
    return this.place.arena;
  }

  /** Whether this agent owns the lock. */
  get owned(): boolean {
    return this.isOwner();
  }

  /**
   * Frees the lock's memory, which another primitive may reuse.
   *
   * No agent may be inside a call on the lock. Every later use throws `MisuseError`.
   *
   * @throws {MisuseError} If an agent owns the lock or waits for it, or it was already freed.
   */
  free(): void {
    // Take the lock first, so that no other agent can take it.
    if (!this.tryEnter(0)) throw this.inUse();
    if (this.isAwaited()) {
      this.exit();
      throw this.inUse();
    }
    freePrimitive(this.place, this.#what);
  }

  /**
   * Returns whether other agents wait for the lock, which this agent has just taken. A lock that can be free while
   * agents wait overrides it.
   */
  protected isAwaited(): boolean {
    return false;
  }

  protected inUse(): MisuseError {
    return this.#account.inUse();
  }

  protected override account(): Account {
    return this.#account;
  }

  /** Returns whether the word OFFICE names this agent. A lock whose OFFICE does not name its owner overrides it. */
  protected override isOwner(): boolean {
    const {
      context: { words, id },
      address,
    } = this.#place;
    // After `free` the block may contain another lock, which this agent may own. After `leave` no block has the local
    // state's tag.
    if (words.load32(address + BLOCK_TAG) !== this.#localState.tag) this.checkThere();
    return words.load32(address + OFFICE) === id;
  }

  protected override enter(): void {
    if (this.#bouncer.enter(Infinity) === SHUT) this.checkThere();
  }

  protected override tryEnter(timeoutMs: number): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    const outcome = this.#bouncer.enter(timeoutMs);
    if (outcome === SHUT) this.checkThere();
    return outcome === TAKEN;
  }

  protected override enterAsync(options: WaitOptions = NO_OPTIONS, entered?: () => void): Promise<void> | undefined {
    const checked = options === NO_OPTIONS ? options : checkWait(options);
    const outcome = this.bouncer.enterOrWait(checked, entered);
    if (typeof outcome !== 'number') return outcome.then((found) => this.#checkEntered(found));
    this.#checkEntered(outcome);
    return undefined;
  }

  #checkEntered(outcome: Entered): void {
    if (outcome === SHUT) this.checkThere();
  }

  protected checkThere(): void {
    checkNotFreed(this.place, this.#what);
  }
}
