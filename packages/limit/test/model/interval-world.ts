// A limit with an interval in a world of agents. Its clock is a word. Time passes when the head of the line has slept,
// and when a body advances it.

import type { Context, Options, Words } from '@sluice/model';
import { BLOCK_LINE, FLAGS, GRANT, OWNER, TICKET } from '../../../core/src/kernel/layout.ts';
import { loopOf } from '../../../core/test/model/async-loop.ts';
import { checkDead } from '../../../core/test/model/death-cases.ts';
import { agentAt, END, semaphoreAddress, tagOf } from '../../../core/test/model/places.ts';
import type { Case } from '../../../core/test/model/case.ts';
import { World, type Actor } from '../../../core/test/model/world.ts';
import {
  CAP,
  COUNT_BYTES,
  FIXED,
  MODE,
  PARTS,
  RING,
  SIZE as SIZE_AT,
  SLIDING,
  SLOTS as SLOTS_AT,
  WINDOW,
} from '../../src/kernel/layout.ts';
import type { IntervalTerms } from '../../src/api/interval-terms.ts';
import type * as Entry from './entry.ts';

export type IntervalCore = typeof Entry;

export interface IntervalActor extends Actor {
  readonly intervalCore: IntervalCore;
  readonly slots: Entry.IntervalSlots;
  /** Records a start at the current time. */
  readonly began: () => void;
  /** Lets intervals, or a fraction of one, pass. */
  readonly pass: (intervals: number) => void;
  /**
   * Waits until another agent sleeps at the head of the line, or all others have ended. Returns whether an agent
   * sleeps.
   */
  readonly untilAsleep: () => boolean;
  /** Whether a call has started since the beginning. */
  readonly isUsed: () => boolean;
  /** Whether a start was counted since the beginning, in a fixed window. */
  readonly isCounted: () => boolean;
}
export type IntervalBody = (actor: IntervalActor) => unknown;

export interface Plan {
  readonly name: string;
  readonly size: number;
  readonly cap: number;
  readonly mode?: IntervalTerms['mode'];
  readonly bodies: readonly IntervalBody[];
  readonly options: Options;
  /** How far the clock of each agent is ahead of the time, in intervals. Default: 0. */
  readonly ahead?: readonly number[];
  /** The number of starts at time 0, in an interval that began then. */
  readonly made?: number;
  /** The number of starts at the end. */
  readonly starts?: number;
  /** The maximum number of intervals that may pass. */
  readonly mostTime?: number;
  /** Whether the limit is closed at the end. */
  readonly isClosed?: boolean;
  /** Whether to check the starts one by one. Then all clocks must show the time, and no timer may fire. */
  readonly isExact?: boolean;
  readonly mayCrash?: readonly number[];
}

/** In ms. A call may start 1 ms after its count. */
const INTERVAL = 8;
const LATEST_START = 1;
const SIZE = END;
const COUNT = SIZE + 8;
const MAX_CAP = 2;
const TIME = COUNT + COUNT_BYTES + 8 * MAX_CAP;
/**
 * Per agent: its starts, the latest time that it has read, and whether it has ended. Then per start: its time, and the
 * time of the window.
 */
const AGENTS = TIME + 8;
const MAX_STARTS = 4;
const AGENT_BYTES = 16 + 8 * MAX_STARTS;
const startsAt = (agent: number): number => AGENTS + agent * AGENT_BYTES;
const latestAt = (agent: number): number => startsAt(agent) + 4;
const overAt = (agent: number): number => startsAt(agent) + 8;
const startAt = (agent: number, start: number): number => startsAt(agent) + 16 + 8 * start;
const [SLOTS, LINE, ALARM] = [0, 1, 2];

export class IntervalWorld extends World {
  readonly #core: IntervalCore;
  readonly #plan: Plan;
  readonly #terms: IntervalTerms;

  constructor(core: IntervalCore, plan: Plan) {
    super(core, {
      permits: [plan.size, 1, 0],
      agents: plan.bodies.length,
      most: plan.size,
      async: true,
      elements: plan.bodies.length + 2,
    });
    this.#core = core;
    this.#plan = plan;
    this.#terms = { interval: INTERVAL, intervalCap: plan.cap, mode: plan.mode ?? FIXED };
  }

  get case(): Case {
    const { name, bodies, options, mayCrash = [] } = this.#plan;
    const ending = bodies.map((body) => (actor: Actor) => {
      body(actor as IntervalActor);
      actor.ctx.words.store32(overAt(actor.ctx.index), 1);
    });
    const scenario = this.scenario(name, ending, undefined, {
      bytes: AGENTS + bodies.length * AGENT_BYTES,
      mayCrash,
      deaths: mayCrash.length,
      final: (words, outcomes) =>
        this.#checkRest(words) ??
        this.#checkStarts(words) ??
        this.#checkEach(words) ??
        checkDead(this, words, outcomes),
    });
    return { scenario, options };
  }

  override layOut(words: Words): void {
    super.layOut(words);
    const { size, cap, made = 0 } = this.#plan;
    const parts = this.#core.partsOf(this.#terms);
    words.put32(semaphoreAddress(ALARM) + FLAGS, 0);
    words.put64(SIZE, (BigInt(size) << 32n) | BigInt(size));
    words.put64(COUNT + PARTS, BigInt(parts));
    words.put32(COUNT + CAP, cap);
    words.put32(COUNT + SLOTS_AT, semaphoreAddress(SLOTS));
    words.put32(COUNT + SIZE_AT, SIZE);
    words.put32(COUNT + MODE, this.#terms.mode);
    if (this.#terms.mode === SLIDING)
      for (let start = 0; start < made; start++) words.put64(COUNT + RING + 8 * start, BigInt(start + 1));
    else words.put64(COUNT + WINDOW, BigInt(made));
  }

  override actor(ctx: Context): IntervalActor {
    const actor = super.actor(ctx);
    const { words } = actor.context;
    const { ahead = [] } = this.#plan;
    const [semaphore, line, alarm] = actor.semaphores;
    if (semaphore === undefined || line === undefined || alarm === undefined)
      throw new Error('The world has slots, a line and an alarm.');
    const placeAt = (index: number) => ({
      arena: semaphore.arena,
      context: actor.context,
      address: semaphoreAddress(index),
      tag: tagOf(index),
    });
    const clock = (): number => {
      const now = words.load32(TIME) + (ahead[ctx.index] ?? 0) * INTERVAL + (loopOf(ctx)?.now ?? 0);
      if (now > ctx.words.get32(latestAt(ctx.index))) ctx.words.put32(latestAt(ctx.index), now);
      return now;
    };
    const regionAt = (address: number) => ({ handle: { address: address - BLOCK_LINE }, free: nothing }) as never;
    const parts = { line, alarm, count: regionAt(COUNT), terms: this.#terms, base: 0, clock };
    return {
      ...actor,
      intervalCore: this.#core,
      slots: new this.#core.IntervalSlots(semaphore, regionAt(SIZE), parts, placeAt(SLOTS), placeAt(LINE)),
      began: () => this.#note(ctx),
      pass: (intervals) => passTo(words, words.load32(TIME) + intervals * INTERVAL),
      untilAsleep: () => {
        ctx.until(() => isAsleep(ctx.words) || this.#areOver(ctx));
        return isAsleep(ctx.words);
      },
      isUsed: () => this.#plan.bodies.some((_, agent) => ctx.words.load32(startsAt(agent)) > 0),
      isCounted: () => ctx.words.load64(COUNT + WINDOW) > BigInt(this.#plan.made ?? 0),
    };
  }

  override checkHeld(words: Words): string | undefined {
    if (this.held(words, LINE) > 1) return 'more than one agent is at the head of the line';
    return this.held(words, SLOTS) > this.#plan.size ? 'more slots are held than there are' : undefined;
  }

  /** Whether all other agents have ended, or have died and are recovered. */
  #areOver({ words, index }: Context): boolean {
    return this.#plan.bodies.every(
      (_, agent) =>
        agent === index || words.load32(overAt(agent)) === 1 || words.load32(agentAt(agent) + OWNER) !== agent + 1,
    );
  }

  /** Checks that windows do not overlap, and that each begins at a time that an agent has read. */
  #checkStarts(words: Words): string | undefined {
    const { bodies, cap, made = 0, starts, mostTime = Infinity } = this.#plan;
    const sum = bodies.reduce((all, _, agent) => all + words.get32(startsAt(agent)), made);
    const latest = bodies.reduce((most, _, agent) => Math.max(most, words.get32(latestAt(agent))), 0);
    if (sum > cap * (1 + latest / INTERVAL)) return `${sum} calls started until ${latest} ms`;
    if (starts !== undefined && sum - made !== starts) return `${sum - made} calls started`;
    return words.get32(TIME) > mostTime * INTERVAL ? `${words.get32(TIME)} ms passed` : undefined;
  }

  /** Records the start right after the agent's reading of its clock: `get32` lets no other agent run in between. */
  #note({ words, index }: Context): void {
    const starts = words.get32(startsAt(index));
    words.put32(startsAt(index), starts + 1);
    if (starts === MAX_STARTS) throw new Error('more starts than the world can record');
    words.put32(startAt(index, starts), words.get32(TIME));
    words.put32(
      startAt(index, starts) + 4,
      Number(words.get64(COUNT + WINDOW)) / (this.#plan.cap + 1) / (this.#core.partsOf(this.#terms) / INTERVAL),
    );
  }

  /**
   * Checks that no window has more starts than the cap. With SLIDING, checks every span of an interval less
   * `LATEST_START`.
   */
  #checkEach(words: Words): string | undefined {
    const { bodies, cap, made = 0, isExact = false } = this.#plan;
    if (!isExact) return undefined;
    const starts = bodies
      .flatMap((_, agent) =>
        Array.from({ length: words.get32(startsAt(agent)) }, (__, start) => ({
          at: words.get32(startAt(agent, start)),
          window: words.get32(startAt(agent, start) + 4),
        })),
      )
      .concat(Array.from({ length: made }, () => ({ at: 0, window: 0 })));
    const most = starts.map(({ at, window }) =>
      this.#terms.mode === SLIDING
        ? starts.filter((other) => other.at >= at && other.at < at + INTERVAL - LATEST_START).length
        : starts.filter((other) => other.window === window).length,
    );
    return Math.max(0, ...most) > cap ? `too many starts in an interval: ${JSON.stringify(starts)}` : undefined;
  }

  #checkRest(words: Words): string | undefined {
    if (this.#plan.isClosed === true)
      return this.held(words, LINE) === 0 ? this.checkGates(words) : 'an agent is left at the head of the line';
    const kernel = this.#core.referenceKernel(words);
    const [slots, line, asleep] = [SLOTS, LINE, ALARM].map((index) => kernel.balance(semaphoreAddress(index)));
    if (slots !== this.#plan.size) return `ends with ${slots} free slots`;
    if (line !== 1) return `the line ends with ${line} free permits`;
    return (asleep ?? 0) < 0 ? 'an agent is left at the alarm' : this.checkGates(words);
  }
}

function isAsleep(words: Words): boolean {
  const alarm = semaphoreAddress(ALARM);
  return words.load64(alarm + GRANT) < words.load64(alarm + TICKET);
}

function passTo(words: Words, end: number): void {
  for (;;) {
    const now = words.load32(TIME);
    if (now >= end || words.cas32(TIME, now, end) === now) return;
  }
}

function nothing(): void {
  // The words of the case are not freed.
}
