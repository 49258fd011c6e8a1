// A capacitor whose gate is a semaphore that the caller chose. The words and the algorithm are in
// kernel/over-semaphore.ts.

import { MisuseError, type Arena, type SemaphoreReport, type WaitOptions } from '@sluice/core';
import {
  checkInteger,
  checkOptions,
  checkTimeout,
  MAX_PERMITS,
  NO_WAIT_OPTIONS,
  plural,
  reserveStack,
  wrongInstance,
} from '@sluice/core/calls';
import { asLine, BLOCK_TAG, FOREIGN, IDLE, LIMIT, TAKEN, type EntryAddress } from '@sluice/core/format';
import {
  asCorrupt,
  contextOf,
  createBlock,
  handleTo,
  openPrimitive,
  SemaphoreBlock,
  type AgentContext,
  type BlockRef,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { withoutPermits } from '@sluice/core/report';
import { GATE, GATE_TAG, TALLY } from '../kernel/layout.ts';
import { SEMAPHORE_CAPACITOR, type GateKernel, type GateSteps } from './kinds.ts';
import { GateBlock } from './gate-block.ts';
import { timesInside, type SemaphoreCapacitorReport } from './report.ts';

export type SemaphoreCapacitorHandle = PrimitiveHandle<'sluice.semaphore-capacitor'>;

/** The members of a semaphore that a capacitor over it uses. Every semaphore of Sluice in shared memory has them. */
export interface GateSemaphore {
  readonly arena: Arena;
  readonly handle: PrimitiveHandle<string>;
  readonly available: number;
  acquire(): void;
  tryAcquire(permits?: number, timeoutMs?: number): boolean;
  acquireAsync(permits?: number, options?: WaitOptions): Promise<void>;
  release(permits?: number): void;
  inspect(): Pick<SemaphoreReport, 'available' | 'holders' | 'waiters'>;
}

export interface SemaphoreCapacitorOptions {
  /** Shown by `inspect`; up to 60 bytes of UTF-8. */
  readonly name?: string | undefined;
}

const SHAPE = { className: 'SemaphoreCapacitor', what: 'The capacitor', inside: 'entered' };

/**
 * A capacitor over a semaphore (Dice, Listing 1): the semaphore is the gate, and the capacitor counts the departures.
 * The semaphore's permits are the bypass limit B. They return together, when all B agents of a platoon have departed.
 *
 * Over a `TicketSemaphore` and before a `TtsLock` it is the `CapacitorSimplistic` of the paper. `Capacitor` does the
 * same with one word fewer, and its waiters wake one by one.
 *
 * - At most B - 1 agents that arrive after a waiter enter before it, if the semaphore is FIFO. Each agent that dies
 *   inside lets one more agent in.
 * - The semaphore must record its holders, and no other caller may use it.
 *
 * ```ts run
 * import { CapacitorLock, SemaphoreCapacitor } from '@sluice/capacitor';
 * import { TicketSemaphore, TtsLock } from '@sluice/classics';
 *
 * const gate = SemaphoreCapacitor.create(TicketSemaphore.create(10));
 * const lock = CapacitorLock.create(TtsLock.create(), { gate });
 * console.log(lock.run(() => 'inside'), gate.bypassLimit); // inside 10
 * ```
 */
export class SemaphoreCapacitor extends GateBlock {
  /** The handle to post to another thread. Pass it to `SemaphoreCapacitor.from` there, with the semaphore. */
  readonly handle: SemaphoreCapacitorHandle;
  readonly #semaphore: GateSemaphore;
  /** This agent's ledger entry of the semaphore. */
  readonly #entry: EntryAddress;

  private constructor(ref: BlockRef, semaphore: GateSemaphore, entry: EntryAddress) {
    super(ref, SHAPE);
    this.#semaphore = semaphore;
    this.#entry = entry;
    this.handle = handleTo('sluice.semaphore-capacitor', ref, SEMAPHORE_CAPACITOR.kernel.id);
  }

  /**
   * Creates a capacitor over `semaphore`, in its arena. All permits of the semaphore must be free: their number is the
   * bypass limit B.
   *
   * @throws {TypeError} If an argument has the wrong type or an option is unknown.
   * @throws {RangeError} If the semaphore has no free permit.
   * @throws {MisuseError} If the semaphore is in use, keeps no record of its holders (`recovery: false`), or was freed.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(semaphore: GateSemaphore, options: SemaphoreCapacitorOptions = {}): SemaphoreCapacitor {
    checkOptions(options, ['name']);
    const context = contextAt(semaphore);
    const bypassLimit = checkInteger('The number of free permits', semaphore.available, 1, MAX_PERMITS);
    const entry = entryAt(context, semaphore);
    const { holders, waiters } = semaphore.inspect();
    if (holders.length > 0 || waiters.length > 0)
      throw new MisuseError(
        `The semaphore of a capacitor must have all its permits: it has ${plural(holders.length, 'holder')} and ${plural(waiters.length, 'waiter')}. Nothing was created.`,
      );
    const gate = semaphore.handle.address;
    const gateTag = tagAt(context, semaphore);
    const placed = { arena: semaphore.arena, name: options.name };
    const [ref] = createBlock(SEMAPHORE_CAPACITOR, placed, {
      fill: ({ words, address: capacitor }) => {
        words.put32(capacitor + LIMIT, bypassLimit);
        words.put32(capacitor + TALLY, bypassLimit);
        words.put32(capacitor + GATE, gate);
        words.put32(capacitor + GATE_TAG, gateTag);
      },
    });
    return new SemaphoreCapacitor(ref, semaphore, entry);
  }

  /**
   * Returns the capacitor of a handle. `semaphore` is this agent's instance of the same semaphore.
   *
   * @throws {HandleError} If the handle does not refer to a live capacitor over a semaphore.
   * @throws {TypeError} If `semaphore` is not a semaphore.
   * @throws {MisuseError} If the semaphore is in another arena, or the capacitor is over another semaphore.
   */
  static from(handle: SemaphoreCapacitorHandle, semaphore: GateSemaphore): SemaphoreCapacitor {
    const ref = openPrimitive(handle, SEMAPHORE_CAPACITOR);
    const context = contextAt(semaphore);
    const { words } = ref.context;
    if (context !== ref.context)
      throw new MisuseError('The semaphore is in a different arena from the capacitor over it.');
    const isGate =
      words.get32(ref.address + GATE) === semaphore.handle.address &&
      words.get32(ref.address + GATE_TAG) === tagAt(context, semaphore);
    if (!isGate) throw new MisuseError('The capacitor is over another semaphore: give from() the one of create().');
    return new SemaphoreCapacitor(ref, semaphore, entryAt(context, semaphore));
  }

  /** Whether the capacitor is empty at this moment: no agent is inside and none waits. */
  get empty(): boolean {
    return this.#semaphore.available === this.#departuresLeft;
  }

  /**
   * Enters, blocking until that is possible.
   *
   * @throws The errors of the semaphore's `acquire`.
   */
  arrive(): void {
    this.#semaphore.acquire();
  }

  /**
   * Enters if that is possible within `timeoutMs` ms (with 0, the call does not wait); returns whether this agent is
   * inside.
   *
   * @throws The errors of the semaphore's `tryAcquire`.
   */
  tryArrive(timeoutMs = 0): boolean {
    if (timeoutMs !== 0) checkTimeout(timeoutMs);
    return this.#semaphore.tryAcquire(1, timeoutMs);
  }

  /** Enters without blocking, and rejects as the semaphore's `acquireAsync` does. */
  arriveAsync(options: WaitOptions = NO_WAIT_OPTIONS): Promise<void> {
    return this.#semaphore.acquireAsync(1, options);
  }

  /**
   * Leaves. The last departure of a platoon releases the permits of the next one.
   *
   * @throws {MisuseError} If this agent is not inside.
   */
  depart(): void {
    const { address, tag, context } = this.ref;
    const kernel = context.kernel as GateKernel;
    reserveStack();
    let departed: ReturnType<GateSteps['departOverCapacitor']>;
    try {
      departed = kernel.departOverCapacitor(address, tag, this.#entry);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (departed === IDLE) return;
    this.checkThere();
    if (departed === FOREIGN) throw this.notInside();
    if (departed === TAKEN) this.#semaphore.release(this.bypassLimit);
  }

  /** Returns a snapshot: the agents inside, the waiters, and since when each has waited. */
  inspect(): SemaphoreCapacitorReport {
    const { available, holders, waiters } = this.#semaphore.inspect();
    return {
      kind: 'semaphore-capacitor',
      name: this.name,
      bypassLimit: this.bypassLimit,
      departuresLeft: this.#departuresLeft,
      open: available,
      inside: holders.map(timesInside),
      waiters: waiters.map(withoutPermits),
    };
  }

  /**
   * Frees the capacitor's memory. The semaphore stays. If the semaphore was closed or freed, no agent can enter any
   * more, and the capacitor can be freed at any time.
   *
   * @throws {MisuseError} While an agent is inside or waits, or if the capacitor was already freed.
   */
  free(): void {
    this.checkThere();
    if (this.#isGateOpen && !this.empty) throw this.errors().inUse();
    this.freeBlock();
  }

  get #isGateOpen(): boolean {
    const { words } = this.context;
    const { address } = this.ref;
    return words.load32(words.get32(address + GATE) + BLOCK_TAG) === words.get32(address + GATE_TAG);
  }

  get #departuresLeft(): number {
    this.checkThere();
    return this.context.words.load32(this.ref.address + TALLY);
  }
}

/** Returns the context of a semaphore that was not freed. */
function contextAt(semaphore: GateSemaphore): AgentContext {
  if (!(semaphore instanceof SemaphoreBlock))
    throw wrongInstance('The gate', 'Semaphore', 'sluice.semaphore', semaphore);
  checkInteger('The number of free permits', semaphore.available, 0, MAX_PERMITS);
  return contextOf(semaphore.arena);
}

/** Returns the tag of the semaphore. The word of a closed semaphore has it negated. */
function tagAt({ words }: AgentContext, { handle }: Pick<GateSemaphore, 'handle'>): number {
  return Math.abs(words.load32(handle.address + BLOCK_TAG));
}

/** Returns this agent's ledger entry of the semaphore. */
function entryAt(context: AgentContext, { handle }: Pick<GateSemaphore, 'handle'>): EntryAddress {
  // The instance has opened the entry.
  const { entry } = context.lineState(asLine(handle.address), tagAt(context, { handle }), { recorded: true });
  if (entry === 0)
    throw new MisuseError(
      'The semaphore of a capacitor must record its holders, or a thread that dies inside would leave it closed: create it without `recovery: false`.',
    );
  return entry;
}
