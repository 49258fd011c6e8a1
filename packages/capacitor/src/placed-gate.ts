// The parts that all gates with a block of their own share.

import { MisuseError, type Arena, type WaitOptions } from '@sluice/core';
import {
  PrimitiveErrors,
  type ErrorShape,
  checkNotFreed,
  holdersOf,
  INSPECT,
  checkPlace,
  LIMIT,
  consoleText,
  refusePosting,
  readName,
  type Blame,
  type BlockRef,
  type AgentContext,
} from '@sluice/core/internal';
import type { Gate } from './gate.ts';
import { gateFields, type GateReport } from './report.ts';
import { routesAt, type Routes } from './routes.ts';

/** The texts with which messages name a kind of gate. */
interface GateShape {
  readonly className: string;
  /** The name in messages, as in 'The capacitor'. */
  readonly what: string;
  /** The verb in messages for an agent that is inside: 'entered'. */
  readonly inside: string;
  /** Whether agents enter in the order of their arrival. Default true. */
  readonly ordered?: boolean;
  /** The lines of the waiters, for messages. Default: the first line of the block. */
  readonly lines?: ErrorShape['lines'];
}

export abstract class PlacedGate implements Gate {
  readonly #place: BlockRef;
  readonly #what: string;
  readonly #className: string;
  readonly #errors: PrimitiveErrors;

  protected constructor(place: BlockRef, { className, what, inside, ordered, lines }: GateShape) {
    refusePosting(this);
    checkPlace(place, className);
    this.#place = place;
    this.#className = className;
    this.#what = what;
    const blame = (): Blame[] => [{ how: inside, agents: holdersOf(place.context, place) }];
    this.#errors = new PrimitiveErrors(
      { className, late: 'could not be entered', untouched: 'It was not entered.', ordered, lines, blame },
      place,
    );
  }

  abstract readonly handle: { readonly kind: string };
  abstract readonly empty: boolean;
  abstract arrive(): void;
  abstract tryArrive(timeoutMs?: number): boolean;
  abstract arriveAsync(options?: WaitOptions): Promise<void>;
  abstract depart(): void;
  abstract inspect(): GateReport;
  abstract free(): void;

  /** Returns the title, such as "Capacitor 'door'". */
  toString(): string {
    return this.#errors.toString();
  }

  protected notInside(): MisuseError {
    return new MisuseError(
      `${this.toString()} cannot be left: this agent (agent ${this.context.id}) is not inside; it has departed as often as it arrived.`,
    );
  }

  /** Makes the errors of waits at the gate. */
  protected errors(): PrimitiveErrors {
    return this.#errors;
  }

  // These are getters because code that enumerates an instance would see fields.
  protected get place(): BlockRef {
    return this.#place;
  }

  protected get context(): AgentContext {
    return this.#place.context;
  }

  [INSPECT](): string {
    return consoleText(this.#className, () => gateFields(this.inspect()));
  }

  /** The routes of this agent's holdings, for the lock behind the gate. */
  get routes(): Routes {
    return routesAt(this.place);
  }

  /** The name given to `create`; '' if none was given. */
  get name(): string {
    this.checkThere();
    return readName(this.context.words, this.place.address);
  }

  /** The arena that contains the gate. */
  get arena(): Arena {
    return this.place.arena;
  }

  /**
   * The bypass limit B: the number of agents that a platoon admits. At a turnstile: how many times an agent enters
   * during one turn, on average; that number adapts.
   */
  get bypassLimit(): number {
    this.checkThere();
    return this.context.words.load32(this.place.address + LIMIT);
  }

  protected checkThere(): void {
    checkNotFreed(this.place, this.#what);
  }
}
