// What the mutex and the recursive mutex have in common: everything but the uncontended visit to the box office.
// The words, states and invariants of the box office are in core's kernel/mutex.ts.

import { MisuseError, OwnedLock, type Arena, type WaitingPolicy, type WaitOptions } from '@sluice/core';
import {
  BLOCK_LINE,
  Bouncer,
  checkNotFreed,
  checkOptions,
  checkPlace,
  checkTimeout,
  checkWait,
  chosenArena,
  createPrimitive,
  FLAG_MUTEX,
  FLAG_OWNED,
  FLAGS,
  freePrimitive,
  LockHealth,
  mergePolicy,
  ownerOfMutex,
  postTheHandleInstead,
  RACED,
  readName,
  SHUT,
  TAKEN,
  type Kernel,
  type Place,
  type Seat,
} from '@sluice/core/internal';
import { reportMutex, type MutexReport } from './report.ts';

export interface MutexOptions {
  /** Where it lives. Default: the realm's default arena. */
  readonly arena?: Arena | undefined;
  /** Shown by `inspect`; up to 60 bytes of UTF-8. */
  readonly name?: string | undefined;
  /** How this agent waits here. Default: the arena's policy. */
  readonly policy?: Partial<Omit<WaitingPolicy, 'buckets'>> | undefined;
}

const NO_OPTIONS: WaitOptions = {};

/** A block with a free mutex in it, and the policy of this agent. */
export function createMutex(kind: number, options: MutexOptions): [Place, WaitingPolicy] {
  checkOptions(options);
  const arena = chosenArena(options.arena);
  const policy = mergePolicy(arena.policy, options.policy);
  const place = createPrimitive(arena, kind, BLOCK_LINE, options.name, (words, mutex) => {
    words.put32(mutex + FLAGS, FLAG_MUTEX | FLAG_OWNED);
  });
  return [place, policy];
}

export abstract class AnyMutex extends OwnedLock {
  /** Makes posting the mutex itself fail; post `handle`. */
  readonly post = postTheHandleInstead;
  protected override readonly health: LockHealth;
  protected abstract readonly what: string;
  readonly #place: Place;
  readonly #seat: Seat;
  readonly #kernel: Kernel;
  readonly #bouncer: Bouncer;

  protected constructor(place: Place, policy: WaitingPolicy, className: string) {
    super();
    checkPlace(place, className);
    const { seat, address, tag } = place;
    const { kernel, agent } = seat;
    this.#place = place;
    this.#seat = seat;
    this.#kernel = kernel;
    this.health = new LockHealth(seat.words, address);
    const visit = (mayWait: number): number => kernel.enlist(address, tag, agent, mayWait);
    this.#bouncer = new Bouncer(place, policy, false, visit, 'The mutex');
  }

  /** The name given at `create`, '' if none was. */
  get name(): string {
    this.#checkThere();
    return readName(this.#seat.words, this.#place.address);
  }

  /** The arena that it lives in. */
  get arena(): Arena {
    return this.#place.arena;
  }

  /** Whether this agent owns it. */
  get owned(): boolean {
    return this.isOwner();
  }

  /** Who owns it, who waits and since when, and what is known of owners that died: a snapshot. */
  inspect(): MutexReport {
    this.#checkThere();
    return reportMutex(this.#place, this.#bouncer.inspect());
  }

  /**
   * Gives its memory back: another primitive may get it, so no agent may be inside a call on this one. Throws
   * `MisuseError` while an agent owns it or waits for it, and when it was freed before; every later use throws it, too.
   */
  free(): void {
    // Owning it for the moment: nobody else can take it any more.
    if (!this.tryEnter(0)) throw new MisuseError(`${this.what} is in use and cannot be freed.`);
    freePrimitive(this.#place, this.what);
  }

  protected override isOwner(): boolean {
    // In its block there may be another mutex by now, owned by this agent.
    this.#checkThere();
    return ownerOfMutex(this.#seat.words, this.#place.address) === this.#seat.id;
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
    if ((await this.#bouncer.enterAsync(checked, entered)) === SHUT) this.#checkThere();
  }

  protected override exit(): void {
    const { address } = this.#place;
    let passed: number;
    do passed = this.#kernel.handOver(address, this.#seat.agent, this.#seat.id);
    while (passed === RACED);
    this.#bouncer.wake(passed);
  }

  #enterWithin(timeoutMs: number): boolean {
    const outcome = this.#bouncer.enter(timeoutMs);
    if (outcome === SHUT) this.#checkThere();
    return outcome === TAKEN;
  }

  #checkThere(): void {
    checkNotFreed(this.#place, this.what);
  }
}
