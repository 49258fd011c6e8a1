// The slots, the lock and the estimate of an adaptive limit, and agents whose calls end. The tuner and the estimate are
// the real ones. A call of epoch n takes 10 + n ms, so the sum of a window tells of which epoch its samples are.

import type { Context, Options, Words } from '@sluice/model';
import { BLOCK_LINE } from '../../../../core/src/kernel/layout.ts';
import type { Case } from '../../../../core/test/model/case.ts';
import { checkDead } from '../../../../core/test/model/death-cases.ts';
import { END, semaphoreAddress, tagOf } from '../../../../core/test/model/places.ts';
import { World, type Actor } from '../../../../core/test/model/world.ts';
import {
  BATCH,
  CONTROL_BYTES,
  COPIES,
  EPOCH,
  MAX,
  MIN,
  STATE_DOUBLES,
  TOLERANCE,
  VERSION,
} from '../../../src/kernel/control-layout.ts';
import type * as Entry from './entry.ts';

export type EstimateCore = typeof Entry;

export interface EstimateActor extends Actor {
  readonly slots: Entry.SizedSlots;
  readonly shared: Entry.SharedEstimate;
  readonly tuner: Entry.Tuner;
  /** A call of this agent begins and ends. */
  readonly call: () => void;
  /** A call of this agent begins, and fails because of an overload. */
  readonly overload: () => void;
}
export type EstimateBody = (actor: EstimateActor) => unknown;

export interface Plan {
  readonly name: string;
  /** The size at the start. */
  readonly size?: number;
  /** The calls of the window at the start. */
  readonly count?: number;
  /** The overloads of the window at the start. */
  readonly overloads?: number;
  readonly bodies: readonly EstimateBody[];
  readonly options: Options;
  readonly mayCrash?: readonly number[];
  /** The number of calls in the window at the end, if the window does not end. */
  readonly ends?: number;
}

const [SLOTS, LOCK] = [0, 1];
const LEAST = 1;
const MOST = 2;
/** The word with the two numbers of slots: how many should exist, and how many exist. */
const SIZE = END;
const CONTROL = SIZE + 8;
/** The number of agents that have finished their first part. */
export const DONE = CONTROL + CONTROL_BYTES;
const BYTES = DONE + 8;

/** The latency of the calls of an epoch, in ms. */
function latencyIn(epoch: number): number {
  return 10 + epoch;
}

interface State {
  readonly size: number;
  readonly count: number;
  readonly sum: number;
  readonly epoch: number;
}

/** The index of each number in a copy of the state. */
const AT = { size: 0, baseline: 1, isStarting: 6, count: 7, sum: 8, saturated: 9, overloads: 10, epoch: 11 };

/** Returns the current copy of the state. */
function stateIn(words: Words): State {
  const doubles = new Float64Array(STATE_DOUBLES);
  const halves = new Int32Array(doubles.buffer);
  const at = CONTROL + COPIES + (words.get32(CONTROL + VERSION) & 1) * STATE_DOUBLES * 8;
  for (let index = 0; index < halves.length; index++) halves[index] = words.get32(at + 4 * index);
  const read = (index: number): number => doubles[index] as number;
  return { size: read(AT.size), count: read(AT.count), sum: read(AT.sum), epoch: read(AT.epoch) };
}

/** Returns what is wrong with a state: its size, or samples of another epoch or of two states. */
export function problemOf({ size, count, sum, epoch }: State): string | undefined {
  if (!(size >= LEAST && size <= MOST)) return `the size is ${size}`;
  return sum === count * latencyIn(epoch) ? undefined : `${count} calls of epoch ${epoch} took ${sum} ms`;
}

function sizesIn(words: Words): { readonly should: number; readonly are: number } {
  const both = words.get64(SIZE);
  return { should: Number(BigInt.asIntN(32, both)), are: Number(both >> 32n) };
}

export class EstimateWorld extends World {
  readonly #core: EstimateCore;
  readonly #plan: Plan;

  constructor(core: EstimateCore, plan: Plan) {
    super(core, { permits: [plan.size ?? LEAST, 1], agents: plan.bodies.length, most: MOST });
    this.#core = core;
    this.#plan = plan;
  }

  get case(): Case {
    const { name, bodies, options, mayCrash = [] } = this.#plan;
    const scenario = this.scenario(name, bodies as readonly ((actor: Actor) => unknown)[], undefined, {
      bytes: BYTES,
      mayCrash,
      deaths: mayCrash.length,
      final: (words, outcomes) => this.#checkRest(words) ?? checkDead(this, words, outcomes),
    });
    return { scenario, options };
  }

  override layOut(words: Words): void {
    super.layOut(words);
    const { size = LEAST, count = 0, overloads = 0 } = this.#plan;
    words.put64(SIZE, (BigInt(size) << 32n) | BigInt(size));
    words.put32(CONTROL + MIN, LEAST);
    words.put32(CONTROL + MAX, MOST);
    words.put32(CONTROL + BATCH, 1);
    const state = new Float64Array(STATE_DOUBLES);
    state[AT.size] = size;
    state[AT.baseline] = latencyIn(0);
    state[AT.isStarting] = 1;
    state[AT.count] = count;
    state[AT.sum] = count * latencyIn(0);
    state[AT.saturated] = count;
    state[AT.overloads] = overloads;
    const put = (at: number, doubles: Float64Array): void =>
      new Int32Array(doubles.buffer).forEach((half, index) => words.put32(at + 4 * index, half));
    put(CONTROL + COPIES, state);
    put(CONTROL + TOLERANCE, Float64Array.of(1.5));
  }

  override actor(ctx: Context): EstimateActor {
    const actor = super.actor(ctx);
    const { context, semaphores } = actor;
    const [semaphore, lock] = semaphores;
    if (semaphore === undefined || lock === undefined) throw new Error('The world has slots and a lock.');
    const place = { arena: semaphore.arena, context, address: semaphoreAddress(SLOTS), tag: tagOf(SLOTS) };
    const word = { handle: { address: SIZE - BLOCK_LINE }, free: () => undefined } as never;
    const slots = new this.#core.SizedSlots(semaphore, word, place);
    const shared = new this.#core.SharedEstimate(context, CONTROL);
    const tuner = new this.#core.Tuner(shared, lock, slots, () => 0);
    const call = (): void => {
      const { epoch } = tuner;
      tuner.ended(epoch, latencyIn(epoch));
    };
    const overload = (): void => tuner.failed(tuner.epoch);
    return { ...actor, slots, shared, tuner, call, overload };
  }

  override checkHeld(words: Words): string | undefined {
    if (this.held(words, LOCK) > 1) return 'two agents hold the lock';
    const { should } = sizesIn(words);
    if (should < LEAST || should > MOST) return `${should} slots should exist`;
    return problemOf(stateIn(words));
  }

  #checkRest(words: Words): string | undefined {
    const { should, are } = sizesIn(words);
    const { size, count, epoch } = stateIn(words);
    if (epoch !== words.get32(CONTROL + EPOCH)) return `the state is of epoch ${epoch}, and another one has begun`;
    if (should !== Math.floor(size)) return `${should} slots should exist, but the estimate is ${size}`;
    if (are !== should) return `ends with ${are} slots, but ${should} should exist`;
    const { ends } = this.#plan;
    if (ends !== undefined && count !== ends) return `${count} calls are in the window at the end, expected ${ends}`;
    return this.checkEnd(words, [should, 1]);
  }
}
