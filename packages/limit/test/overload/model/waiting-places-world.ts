// The slots and the places of a limit with `maxWaiting`, and agents that make calls. The waiting places, the queue of
// an agent and the slots are the real ones. A word for each agent counts its waiting calls.

import type { Context, Options, Words } from '@sluice/model';
import { BLOCK_LINE } from '../../../../core/src/kernel/layout.ts';
import type { Case } from '../../../../core/test/model/case.ts';
import { checkDead } from '../../../../core/test/model/death-cases.ts';
import { END, semaphoreAddress, tagOf } from '../../../../core/test/model/places.ts';
import { World, type Actor } from '../../../../core/test/model/world.ts';
import type * as Entry from './entry.ts';

export type WaitingPlacesCore = typeof Entry;

export interface WaitingPlacesActor extends Actor {
  readonly waitingPlacesCore: WaitingPlacesCore;
  readonly slots: Entry.SizedSlots;
  readonly queue: Entry.SlotQueue;
  readonly waitingPlaces: Entry.WaitingPlaces;
  /** The number of calls that were shed by this agent. */
  readonly shed: () => number;
  /** Notes in a word how many calls of this agent wait with a place. */
  readonly noteWaiting: () => void;
}
export type WaitingPlacesBody = (actor: WaitingPlacesActor) => unknown;

export interface Plan {
  readonly name: string;
  readonly slots?: number;
  readonly places: number;
  readonly sheds: 'newest' | 'oldest';
  readonly bodies: readonly WaitingPlacesBody[];
  readonly options: Options;
  readonly mayCrash?: readonly number[];
}

const [SLOTS, PLACES] = [0, 1];
const MAX_AGENTS = 3;
const SIZE = END;
/** The number of waiting calls of an agent. */
export const waitingOf = (agent: number): number => SIZE + 8 + 4 * agent;
const BYTES = waitingOf(MAX_AGENTS + 1);

/** Whether the call has a place. All calls of a model may have one. */
export function hasPlace(call: object | undefined): boolean {
  return (call as Partial<Entry.WaitingCall> | undefined)?.leavePlace !== undefined;
}

export class WaitingPlacesWorld extends World {
  readonly #core: WaitingPlacesCore;
  readonly #plan: Plan;

  constructor(core: WaitingPlacesCore, plan: Plan) {
    const { slots = 1, places, bodies } = plan;
    super(core, {
      permits: [slots, places],
      agents: bodies.length,
      async: true,
      elements: 2 * bodies.length + 1,
    });
    this.#core = core;
    this.#plan = plan;
  }

  get case(): Case {
    const { name, bodies, options, mayCrash = [] } = this.#plan;
    const scenario = this.scenario(name, bodies as readonly ((actor: Actor) => unknown)[], undefined, {
      bytes: BYTES,
      mayCrash,
      deaths: mayCrash.length,
      final: (words, outcomes) => this.checkEnd(words, this.setup.permits) ?? checkDead(this, words, outcomes),
    });
    return { scenario, options };
  }

  override layOut(words: Words): void {
    super.layOut(words);
    const { slots = 1 } = this.#plan;
    words.put64(SIZE, (BigInt(slots) << 32n) | BigInt(slots));
  }

  override actor(ctx: Context): WaitingPlacesActor {
    const actor = super.actor(ctx);
    const [semaphore, places] = actor.semaphores;
    if (semaphore === undefined || places === undefined) throw new Error('The world has slots and places.');
    const { context } = actor;
    const place = { arena: semaphore.arena, context, address: semaphoreAddress(SLOTS), tag: tagOf(SLOTS) };
    const word = { handle: { address: SIZE - BLOCK_LINE }, free: () => undefined } as never;
    const slots = new this.#core.SizedSlots(semaphore, word, place);
    const terms = { maxWaiting: this.#plan.places, isOldest: this.#plan.sheds === 'oldest' };
    let shed = 0;
    const waitingPlaces = new this.#core.WaitingPlaces(places, terms, slots, () => (shed += 1));
    const queue = new this.#core.SlotQueue();
    const noteWaiting = (): void => ctx.words.store32(waitingOf(ctx.index), queue.all().filter(hasPlace).length);
    return { ...actor, waitingPlacesCore: this.#core, slots, queue, waitingPlaces, shed: () => shed, noteWaiting };
  }

  override checkHeld(words: Words): string | undefined {
    const { slots = 1, places } = this.#plan;
    if (this.held(words, SLOTS) > slots) return `more than ${slots} slots are held`;
    if (this.held(words, PLACES) > places) return `more than ${places} places are held`;
    let waiting = 0;
    for (let agent = 0; agent < this.setup.agents; agent++) waiting += words.get32(waitingOf(agent));
    return waiting > places ? `${waiting} calls wait, but there are ${places} places` : undefined;
  }
}
