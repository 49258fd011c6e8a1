// The sequencer, as one agent sees it. Its word is in kernel/event-count.ts.

import type { WaitingPolicy } from '@sluice/core';
import { SHUT, TAKEN, TICKET } from '@sluice/core/format';
import {
  asCorrupt,
  createLine,
  handleTo,
  openWithPolicy,
  Waitable,
  PrimitiveLine,
  type LineShape,
  type LockOptions,
  type BlockRef,
  type PrimitiveHandle,
} from '@sluice/core/internal';
import { SEQUENCER, type EventCountKernel, type EventCountSteps } from './kinds.ts';
import type { SequencerReport } from './report.ts';

export type SequencerHandle = PrimitiveHandle<'sluice.sequencer'>;
export type SequencerOptions = LockOptions;

const SHAPE: LineShape<EventCountSteps> = {
  kind: SEQUENCER,
  className: 'Sequencer',
  what: 'The sequencer',
  late: 'drew no ticket',
  untouched: 'It was not changed.',
  behaviour: {},
  enterOrEnqueue: () => () => TAKEN,
};

/**
 * A sequencer (Reed and Kanodia): hands out the tickets 0, 1, 2 and so on, each once, in the order of the calls.
 *
 * With an `EventCount` it gives each agent a turn: an agent draws a ticket, waits until the event count reaches it, and
 * advances the event count when its turn ends. An agent that dies between its ticket and its advance blocks all later
 * turns, because neither object records that the agent owes an advance. A lock records its owner: use a `TicketLock` if
 * agents may die.
 *
 * ```ts run
 * import { EventCount, Sequencer } from '@sluice/classics';
 *
 * const [turns, over] = [Sequencer.create(), EventCount.create()];
 * const first = turns.ticket();
 * const second = over.awaitAsync(turns.ticket()).then(() => console.log('second'));
 * over.await(first);
 * console.log('first');
 * over.advance();
 * await second; // first, then second
 * ```
 */
export class Sequencer extends Waitable {
  /** The handle to post to another thread. Pass it to `Sequencer.from` there. */
  readonly handle: SequencerHandle;
  readonly #waits: PrimitiveLine;

  private constructor(ref: BlockRef, policy: WaitingPolicy) {
    const waits = new PrimitiveLine(ref, policy, SHAPE);
    super(waits);
    this.#waits = waits;
    this.handle = handleTo('sluice.sequencer', ref, SEQUENCER.kernel.id);
  }

  /**
   * Creates a sequencer whose first ticket is 0.
   *
   * @throws {RangeError} If an option is out of range.
   * @throws {TypeError} If an option has the wrong type or is unknown.
   * @throws {ArenaFullError} If the arena has no room left.
   */
  static create(options: SequencerOptions = {}): Sequencer {
    return new Sequencer(...createLine(SEQUENCER, options, SHAPE.behaviour, () => undefined));
  }

  /**
   * Opens the sequencer that `handle` refers to.
   *
   * @throws {HandleError} If the handle does not refer to a live sequencer.
   * @throws {ArenaFullError} If no agent record is left for this agent.
   */
  static from(handle: SequencerHandle, options: Pick<SequencerOptions, 'policy'> = {}): Sequencer {
    return new Sequencer(...openWithPolicy(SEQUENCER, handle, options));
  }

  /** Returns the next ticket, which no other call gets. */
  ticket(): number {
    const { drawAtSequencer } = this.#waits.context.kernel as EventCountKernel;
    let ticket: number;
    try {
      ticket = drawAtSequencer(this.#waits.ref.address, this.#waits.lineState.tag);
    } catch (failure) {
      throw asCorrupt(failure, this);
    }
    if (ticket === SHUT) this.#waits.checkThere();
    return ticket;
  }

  /** Returns a snapshot: the name and the next ticket. */
  inspect(): SequencerReport {
    return { kind: 'sequencer', name: this.name, next: this.#next };
  }

  protected override shown(): Readonly<Record<string, unknown>> {
    return { next: this.#next };
  }

  get #next(): number {
    this.#waits.checkThere();
    const { context, address } = this.#waits.ref;
    return Number(context.words.load64(address + TICKET));
  }
}
