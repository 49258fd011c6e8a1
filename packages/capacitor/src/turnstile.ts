// The turnstile: lets in one agent at a time, first come, first served, for a turn of B passes. Our own addition to Dice's capacitors:
// B adapts to the time that a turn takes. Words and invariants: core's kernel/turnstile.ts.

import type { WaitingPolicy, WaitOptions } from '@sluice/core';
import {
  Bouncer,
  checkOptions,
  checkTimeout,
  checkWait,
  findPrimitive,
  freePrimitive,
  FROM_OPTIONS,
  handleTo,
  IDLE,
  KIND_TURNSTILE,
  LIMIT,
  mayBlock,
  mayRetry,
  mergePolicy,
  OFFICE,
  RACED,
  refuseToBlock,
  SHUT,
  TAKEN,
  type Kernel,
  type Patrol,
  type Place,
  type PrimitiveHandle,
  type LocalState,
} from '@sluice/core/internal';
import { createTurnstile, type TurnstileOptions } from './options.ts';
import { patrolOf } from './patrol.ts';
import { PlacedGate } from './placed-gate.ts';
import { reportTurnstile, type TurnstileReport } from './report.ts';
import { adapted, TURN_MS, turnAt, type Turn } from './turn.ts';

export type TurnstileHandle = PrimitiveHandle<'sluice.turnstile'>;

const NO_OPTIONS: WaitOptions = {};
const SHAPE = { className: 'Turnstile', what: 'The turnstile', inside: 'taken' };
let construct: (place: Place, policy: WaitingPolicy) => Turnstile;

/**
 * Lets in one agent at a time, for a turn: within it the agent may go out and come back, up to B times, without standing in line. B
 * adapts: as many passes as fit in half a millisecond. So on a machine with more agents than cores nearly all passes cost no
 * wake-up, and all agents get as many.
 *
 * Promises: turns are taken first come, first served, blocking and async together; while nobody waits a turn ends with each
 * `depart`. An agent that goes out and does not come back delays the next one by about a millisecond, and then less and less often
 * tries to keep its turn. With w waiters before it, an agent is passed by at the most (w + 1) B arrivals that came later. An agent
 * that dies inside or outside and is reclaimed gives its turn up.
 *
 * ```ts run
 * import { Turnstile } from '@sluice/capacitor';
 *
 * const turnstile = Turnstile.create({ name: 'hot path' });
 * for (let pass = 0; pass < 3; pass++) {
 *   turnstile.arrive();
 *   turnstile.depart();
 * }
 * console.log(turnstile.empty, turnstile.bypassLimit); // true 1000
 * ```
 */
export class Turnstile extends PlacedGate {
  /** Post this to another thread and give it to `Turnstile.from` there. */
  readonly handle: TurnstileHandle;
  readonly #bouncer: Bouncer;
  readonly #turn: Turn;
  readonly #patrol: Patrol;
  // What the uncontended paths need, each a field of its own: a lookup less per call.
  readonly #address: number;
  readonly #localState: LocalState;
  readonly #id: number;
  readonly #lock: Kernel['lock'];
  readonly #unlock: Kernel['unlock'];
  readonly #pause: Kernel['pause'];
  readonly #resume: Kernel['resume'];

  static {
    construct = (place, policy) => new this(place, policy);
  }

  private constructor(place: Place, policy: WaitingPolicy) {
    super(place, SHAPE);
    const { context, address, tag } = place;
    const { kernel, agent, id } = context;
    const visit = (mayWait: number): number => kernel.enqueueAtMutex(address, tag, agent, mayWait);
    this.#address = address;
    this.#patrol = patrolOf(context, address, () => this.#evict());
    this.#bouncer = new Bouncer(place, policy, { patrol: this.#patrol }, visit, this.account());
    this.#localState = this.#bouncer.localState;
    this.#turn = turnAt(place);
    this.#id = id;
    this.#lock = kernel.lock;
    this.#unlock = kernel.unlock;
    this.#pause = kernel.pause;
    this.#resume = kernel.resume;
    this.handle = handleTo('sluice.turnstile', place);
  }

  /** A new turnstile, and nobody's turn. Throws `RangeError`, `TypeError`, `ArenaFullError`. */
  static create(options: TurnstileOptions = {}): Turnstile {
    return construct(...createTurnstile(options));
  }

  /** The turnstile that a handle leads to. Throws `HandleError`; `ArenaFullError` when no record is left for this agent. */
  static from(handle: TurnstileHandle, options: Pick<TurnstileOptions, 'policy'> = {}): Turnstile {
    checkOptions(options, FROM_OPTIONS);
    const place = findPrimitive(handle, 'sluice.turnstile', KIND_TURNSTILE);
    return construct(place, mergePolicy(place.arena.policy, options.policy));
  }

  /** Whether nobody is inside and nobody waits, at this moment; an agent that means to come back counts as inside. */
  get empty(): boolean {
    return this.context.words.load32(this.#address + OFFICE) === 0;
  }

  /**
   * Goes in, and blocks until that is possible. Throws `MisuseError` (on a browser's main thread), `DeadlockError` (behind an async
   * wait of this same agent), `ArenaFullError`. Several tasks of the agent whose turn it is may be inside.
   */
  arrive(): void {
    if (this.#enterOwnTurn()) return;
    if (!mayBlock()) refuseToBlock();
    if (this.#lock(this.#address, this.#localState.tag, this.#id) === TAKEN) this.#begin();
    else this.#wait(Infinity);
  }

  /** Waits `timeoutMs` ms at the most, with 0 not at all; whether this agent is in. Never passes a waiter. Throws as `arrive`. */
  tryArrive(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    if (this.#enterOwnTurn()) return true;
    if (this.#lock(this.#address, this.#localState.tag, this.#id) !== TAKEN) return this.#wait(timeoutMs);
    this.#begin();
    return true;
  }

  /** Resolves when this agent is in. Rejects with `TimeoutError`, `signal.reason`, `ArenaFullError`; then it is not. */
  async arriveAsync(options: WaitOptions = NO_OPTIONS): Promise<void> {
    const checked = options === NO_OPTIONS ? options : checkWait(options);
    if (this.#mayCome() && this.#enterOwnTurn()) return;
    try {
      if ((await this.#bouncer.enterAsync(checked, () => this.#begin())) === SHUT) this.checkThere();
    } catch (failure) {
      this.#patrol.look();
      throw failure;
    }
  }

  /**
   * Goes out; keeps the turn for a moment if others wait and it is not used up. Throws `MisuseError` when this agent is not inside.
   */
  depart(): void {
    const turn = this.#turn;
    if (turn.inside === 0) this.#refuseDeparture();
    turn.inside -= 1;
    if (turn.inside > 0) return;
    if (turn.contended && turn.passes < turn.check) this.#goAway(turn);
    else if (turn.contended || this.#unlock(this.#address, this.#localState.tag, this.#id) !== IDLE) this.#departContended();
  }

  /** Whose turn it is, who waits and since when: a snapshot. */
  inspect(): TurnstileReport {
    this.checkThere();
    return reportTurnstile(this.place, this.#bouncer.inspect());
  }

  /** As `Capacitor.free`. */
  free(): void {
    this.checkThere();
    // An agent that went out, and has nobody to end its turn, is not inside.
    this.#evict();
    if (this.#lock(this.#address, this.#localState.tag, this.#id) !== TAKEN) throw this.account().inUse();
    freePrimitive(this.place, 'The turnstile');
  }

  /**
   * Whether a further task of this agent may come in. While one is inside nobody goes out, so the end of the turn has to be noticed
   * here; and when it is used up this task stands in line like everybody.
   */
  #mayCome(): boolean {
    const turn = this.#turn;
    if (turn.inside === 0) return true;
    if (!turn.contended && this.#hasWaiters()) this.#contend(turn);
    return !turn.contended || !this.#isUsedUp(turn);
  }

  #hasWaiters(): boolean {
    return this.context.words.load32(this.#address + OFFICE + 4) !== 0;
  }

  #isUsedUp({ passes, limit, since }: Turn): boolean {
    return passes >= limit || this.context.parking.now() - since >= TURN_MS;
  }

  /** From here on the turn has an end. */
  #contend(turn: Turn): void {
    turn.contended = true;
    turn.since = this.context.parking.now();
    turn.passes = 0;
    turn.check = 1;
    turn.limit = this.context.words.load32(this.#address + LIMIT);
  }

  /** It is this agent's turn: goes in, or comes back. */
  #enterOwnTurn(): boolean {
    const turn = this.#turn;
    if (turn.inside > 0) {
      turn.inside += 1;
      turn.passes += 1;
      return true;
    }
    if (!turn.away) return false;
    turn.away = false;
    const back = this.#resume(this.#address, this.#localState.tag, this.#id) === TAKEN;
    turn.returns.note(back);
    if (!back) return false;
    turn.inside = 1;
    turn.passes += 1;
    return true;
  }

  #begin(): void {
    const turn = this.#turn;
    if (turn.away) turn.returns.note(false);
    turn.inside += 1;
    turn.passes = 1;
    turn.contended = false;
    turn.away = false;
  }

  #wait(timeoutMs: number): boolean {
    const outcome = this.#bouncer.enter(timeoutMs);
    if (outcome === SHUT) this.checkThere();
    if (outcome !== TAKEN && !this.#endStaleTurn()) return false;
    this.#begin();
    return true;
  }

  /** Others wait. Goes out to come back, or ends the turn. */
  #departContended(): void {
    const turn = this.#turn;
    const { kernel, parking, agent } = this.context;
    // Its own tasks in line would only wait until the others have seen that nobody comes back.
    const mayReturn = this.#bouncer.asyncWaits === 0;
    if (mayReturn && !turn.contended && turn.returns.mayTry()) {
      this.#contend(turn);
      this.#goAway(turn);
    } else if (mayReturn && turn.contended && !this.#isUsedUp(turn)) {
      turn.check = Math.min(2 * turn.passes, turn.limit);
      this.#goAway(turn);
    } else {
      if (turn.contended) this.#adapt(turn.passes, parking.now() - turn.since);
      turn.contended = false;
      this.#endTurn(() => kernel.handOver(this.#address, agent, this.#id));
    }
  }

  #goAway(turn: Turn): void {
    turn.away = true;
    this.#pause(this.#address, this.#id);
  }

  #adapt(passes: number, tookMs: number): void {
    const { words } = this.context;
    words.store32(this.#address + LIMIT, adapted(words.load32(this.#address + LIMIT), passes, tookMs));
  }

  #endTurn(step: () => number): void {
    let passed: number;
    let tries = 0;
    do passed = step();
    while (passed === RACED && mayRetry(++tries));
    this.#bouncer.wake(passed);
  }

  /** Ends a turn to which nobody has come back for too long; whether this agent has it now. */
  #endStaleTurn(): boolean {
    this.#patrol.look();
    return this.#lock(this.#address, this.#localState.tag, this.#id) === TAKEN;
  }

  #evict(): void {
    this.#endTurn(() => this.context.kernel.evict(this.#address, this.context.agent));
  }

  #refuseDeparture(): never {
    this.checkThere();
    throw this.notInside();
  }
}

/** A turnstile over words that already lie somewhere: for models. */
export function turnstileAt(place: Place, policy: WaitingPolicy): Turnstile {
  return construct(place, policy);
}
