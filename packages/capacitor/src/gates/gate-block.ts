// The parts that all gates with a block of their own share.

import { MisuseError, type WaitOptions } from '@sluice/core';
import { LIMIT } from '@sluice/core/format';
import {
  Primitive,
  PrimitiveErrors,
  type ErrorShape,
  holdersOf,
  type Blame,
  type BlockRef,
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

export abstract class GateBlock extends Primitive implements Gate {
  readonly #errors: PrimitiveErrors;

  protected constructor(ref: BlockRef, { className, what, inside, ordered, lines }: GateShape) {
    super(ref, { className, what });
    const blame = (): Blame[] => [{ how: inside, agents: holdersOf(ref.context, ref) }];
    this.#errors = new PrimitiveErrors(
      { className, late: 'could not be entered', untouched: 'It was not entered.', ordered, lines, blame },
      ref,
    );
  }

  abstract readonly handle: { readonly kind: string };
  abstract readonly empty: boolean;
  abstract arrive(): void;
  abstract tryArrive(timeoutMs?: number): boolean;
  abstract arriveAsync(options?: WaitOptions): Promise<void>;
  abstract depart(): void;
  abstract inspect(): GateReport;

  protected notInside(): MisuseError {
    return new MisuseError(
      `${this.toString()} cannot be left: this agent (agent ${this.context.id}) is not inside; it has departed as often as it arrived.`,
    );
  }

  /** Makes the errors of waits at the gate. */
  protected errors(): PrimitiveErrors {
    return this.#errors;
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    return gateFields(this.inspect());
  }

  /** The routes of this agent's holdings, for the lock behind the gate. */
  get routes(): Routes {
    return routesAt(this.ref);
  }

  /**
   * The bypass limit B: the number of agents that a platoon admits. At a turnstile: how many times an agent enters
   * during one turn, on average; that number adapts.
   */
  get bypassLimit(): number {
    this.checkThere();
    return this.context.words.load32(this.ref.address + LIMIT);
  }
}
