// What every owned lock with a block of its own has in common: everything but the uncontended visit and the way out.

import { Account } from './account/account.ts';
import { chosenArena, checkNotFreed, checkPlace, createPrimitive, freePrimitive, type Place } from './arena/primitive.ts';
import { contextOf, type Arena } from './arena/arena.ts';
import { readName } from './arena/name.ts';
import type { AgentContext } from './arena/agent-context.ts';
import { ownerOfMutex } from './arena/holders-and-waiters.ts';
import { checkOptions, checkTimeout, PLACED_OPTIONS } from './check.ts';
import type { MisuseError } from './errors.ts';
import type { Kernel } from './kernel/kernel.ts';
import { BLOCK_LINE, FLAG_OWNED, FLAGS } from './kernel/layout.ts';
import { SHUT, TAKEN } from './kernel/states.ts';
import type { Words } from './kernel/words.ts';
import { LockHealth } from './lock-health.ts';
import type { WaitOptions } from './lock.ts';
import { OwnedLock } from './owned-lock.ts';
import { mergePolicy, type WaitingPolicy } from './policy.ts';
import { INSPECT, oneLine } from './one-line.ts';
import { refusePosting } from './unpostable.ts';
import { Bouncer, type QueueBehaviour, type Visit } from './semaphore/bouncer.ts';
import { checkWait } from './semaphore/options.ts';

export interface LockOptions {
  /** Where it lives. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Shown by `inspect`; up to 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits here. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

const NO_OPTIONS: WaitOptions = {};

/** A block with a free lock in it, and the policy of this agent. `recorded`: its owner stands in a ledger, not in its words. */
export function createLock(
  kind: number,
  flags: number,
  options: LockOptions,
  recorded = false,
  fill: (words: Words, lock: number) => void = nothing,
): [Place, WaitingPolicy] {
  checkOptions(options, PLACED_OPTIONS);
  const arena = chosenArena(options.arena);
  const policy = mergePolicy(arena.policy, options.policy);
  const context = contextOf(arena);
  // Before the block: what `fill` needs must not fail or die half-way.
  if (recorded) context.reserveEntry();
  const place = createPrimitive(arena, kind, BLOCK_LINE, options.name, (words, lock, tag) => {
    words.put32(lock + FLAGS, FLAG_OWNED | flags);
    fill(words, lock);
    if (recorded) context.localState(lock, tag, true);
  });
  return [place, policy];
}

function nothing(): void {
  // All its other words begin as 0.
}

/** How a lock package makes its kind of it. */
export interface LockShape {
  readonly className: string;
  /** For messages, as 'The mutex'. */
  readonly what: string;
  readonly manner: QueueBehaviour;
}

export abstract class PlacedLock extends OwnedLock {
  readonly #place: Place;
  readonly #health: LockHealth;
  readonly #bouncer: Bouncer;
  readonly #account: Account;
  readonly #className: string;
  readonly #what: string;

  protected constructor(place: Place, policy: WaitingPolicy, { className, what, manner }: LockShape) {
    super();
    refusePosting(this);
    checkPlace(place, className);
    this.#place = place;
    this.#what = what;
    this.#className = className;
    this.#health = new LockHealth(place.context.words, place.address);
    this.#account = new Account({ className, late: 'could not be locked', untouched: 'It was not locked.', ordered: manner.unordered !== true }, place);
    this.#bouncer = new Bouncer(place, policy, manner, this.visitOf(place), this.#account);
  }

  // Not fields: those would be seen by everything that walks over an instance.
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
      return { name: this.name, owner, waiting: waiters.length, consistency: consistency === 'consistent' ? undefined : consistency };
    });
  }

  /** The contended visit; called once, by the constructor. */
  protected abstract visitOf(place: Place): Visit;

  /** The name given at `create`, '' if none was. */
  get name(): string {
    this.checkThere();
    return readName(this.context.words, this.place.address);
  }

  /** The arena that it lives in. */
  get arena(): Arena {
    return this.place.arena;
  }

  /** Whether this agent owns it. */
  get owned(): boolean {
    return this.isOwner();
  }

  /**
   * Gives its memory back: another primitive may get it, so no agent may be inside a call on this one. Throws
   * `MisuseError` while an agent owns it or waits for it, and when it was freed before; every later use throws it, too.
   */
  free(): void {
    // Owning it for the moment: nobody else can take it any more.
    if (!this.tryEnter(0)) throw this.inUse();
    freePrimitive(this.place, this.#what);
  }

  protected inUse(): MisuseError {
    return this.#account.inUse();
  }

  protected override account(): Account {
    return this.#account;
  }

  protected override isOwner(): boolean {
    // In its block there may be another lock by now, owned by this agent.
    this.checkThere();
    return ownerOfMutex(this.context.words, this.place.address) === this.context.id;
  }

  protected override enter(): void {
    this.#enterWithin(Infinity);
  }

  protected override tryEnter(timeoutMs: number): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#enterWithin(timeoutMs);
  }

  protected override async enterAsync(options: WaitOptions = NO_OPTIONS, entered?: () => void): Promise<void> {
    const checked = options === NO_OPTIONS ? options : checkWait(options);
    if ((await this.bouncer.enterAsync(checked, entered)) === SHUT) this.checkThere();
  }

  #enterWithin(timeoutMs: number): boolean {
    const outcome = this.bouncer.enter(timeoutMs);
    if (outcome === SHUT) this.checkThere();
    return outcome === TAKEN;
  }

  protected checkThere(): void {
    checkNotFreed(this.place, this.#what);
  }
}
