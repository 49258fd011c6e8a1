// A rate limiter in a world of agents. Its clock is a word. Time passes when an agent has slept, and when a body
// advances it.

import type { Context, Options, Words } from '@sluice/model';
import { BLOCK_LINE, FLAGS } from '../../../../core/src/kernel/layout.ts';
import { loopOf } from '../../../../core/test/model/async-loop.ts';
import { checkDead } from '../../../../core/test/model/death-cases.ts';
import { END, semaphoreAddress, tagOf } from '../../../../core/test/model/places.ts';
import type { Case } from '../../../../core/test/model/case.ts';
import { World, type Actor } from '../../../../core/test/model/world.ts';
import { ARRIVAL, BUCKET_BYTES, LATEST, TOLERANCE } from '../../../src/rate/kernel/layout.ts';
import type { HeadAlarm } from '../../../src/line/head-of-line.ts';
import { TICKS_PER_MS } from '../../../src/rate/time.ts';
import type * as Entry from './entry.ts';

export type RateCore = typeof Entry;

export interface RateActor extends Actor {
  readonly limiter: Entry.RateLimiter;
  /** Takes permits, and records when. Returns whether it did. */
  readonly take: (weight: number, act: () => boolean) => boolean;
  /** Lets that many ms pass. */
  readonly pass: (ms: number) => void;
  /** The number of times that this agent has slept at the head of the line. */
  readonly sleeps: () => number;
  /** Whether permits were taken since the start. Unlike a call on the limiter, it does not move the agent's clock. */
  readonly isUsed: () => boolean;
}
export type RateBody = (actor: RateActor) => unknown;

export interface Plan {
  readonly name: string;
  readonly burst: number;
  readonly bodies: readonly RateBody[];
  readonly options: Options;
  /** How far the clock of each agent is ahead of the time, in ms. Default 0. */
  readonly ahead?: readonly number[];
  /** Whether a sleep at the head never ends by its timer. Then an agent that is not woken sleeps forever. */
  readonly timeless?: boolean;
  /** How late the timer of a sleep at the head ends, in ms. Default 0. */
  readonly late?: number;
  /**
   * Whether agents wait without blocking. Then their sleeps at the head end by the timers of their event loops, which
   * move their clocks.
   */
  readonly isAsync?: boolean;
  /** The number of permits that are taken at the start. */
  readonly taken?: number;
  /** The time at which the bucket is full at the end, in ms. */
  readonly arrival?: number;
  /** Whether the limiter is closed at the end. */
  readonly isClosed?: boolean;
  readonly mayCrash?: readonly number[];
  readonly deaths?: number;
}

const BUCKET = END;
const TIME = BUCKET + BUCKET_BYTES;
/** Per agent: its sleeps. Then the number of takes, and per take: the times of its begin and end, and its weight. */
const AGENTS = TIME + 8;
const MAX_TAKES = 3;
const TAKE_BYTES = 12;
const AGENT_BYTES = 8 + MAX_TAKES * TAKE_BYTES;
const agentLog = (agent: number): number => AGENTS + agent * AGENT_BYTES;
const takeAt = (agent: number, take: number): number => agentLog(agent) + 8 + take * TAKE_BYTES;

/** The common time, in whole ms. */
function agreed(words: Words): number {
  return Math.floor(Number(words.load64(BUCKET + LATEST)) / TICKS_PER_MS);
}

interface Take {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}

export class RateWorld extends World {
  readonly #core: RateCore;
  readonly #plan: Plan;

  constructor(core: RateCore, plan: Plan) {
    super(core, {
      permits: [1, 0],
      agents: plan.bodies.length,
      most: 1,
      ...(plan.isAsync === true ? { async: true, elements: 5 } : {}),
    });
    this.#core = core;
    this.#plan = plan;
  }

  get case(): Case {
    const { name, bodies, options, mayCrash = [], deaths = mayCrash.length } = this.#plan;
    const scenario = this.scenario(name, bodies as readonly ((actor: Actor) => unknown)[], undefined, {
      bytes: AGENTS + bodies.length * AGENT_BYTES,
      mayCrash,
      deaths,
      final: (words, outcomes) =>
        this.#checkRest(words) ?? this.#checkWindows(words) ?? checkDead(this, words, outcomes),
    });
    return { scenario, options };
  }

  override layOut(words: Words): void {
    super.layOut(words);
    words.put32(semaphoreAddress(1) + FLAGS, 0);
    words.put64(BUCKET + TOLERANCE, BigInt(this.#plan.burst * TICKS_PER_MS));
    words.put64(BUCKET + ARRIVAL, BigInt((this.#plan.taken ?? 0) * TICKS_PER_MS));
  }

  override actor(ctx: Context): RateActor {
    const actor = super.actor(ctx);
    const { words } = actor.context;
    const { burst, ahead = [], isAsync = false } = this.#plan;
    const [line, sleepers] = actor.semaphores;
    if (line === undefined || sleepers === undefined) throw new Error('The world has a line and an alarm.');
    const ref = { arena: line.arena, context: actor.context, address: semaphoreAddress(0), tag: tagOf(0) };
    const limiter = this.#core.rateLimiterOf({
      line,
      alarm: isAsync ? sleepers : this.#alarm(ctx, words, sleepers),
      bucket: { handle: { address: BUCKET - BLOCK_LINE }, free: () => undefined } as never,
      // One permit comes per ms.
      rate: this.#core.rateOf(1, 1, burst),
      base: 0,
      clock: () => words.load32(TIME) + (ahead[ctx.index] ?? 0) + (loopOf(ctx)?.now ?? 0),
      ref: ref,
    });
    return {
      ...actor,
      limiter,
      take: (weight, act) => this.#log(ctx, words, weight, act),
      pass: (ms) => passTo(words, words.load32(TIME) + ms),
      sleeps: () => words.get32(agentLog(ctx.index)),
      isUsed: () => words.load64(BUCKET + ARRIVAL) > BigInt((this.#plan.taken ?? 0) * TICKS_PER_MS),
    };
  }

  override checkHeld(words: Words): string | undefined {
    return this.held(words, 0) > 1 ? 'more than one agent is at the head of the line' : undefined;
  }

  #alarm(ctx: Context, words: Words, sleepers: HeadAlarm): HeadAlarm {
    const tryAcquire = (_: number, ms: number): boolean => {
      words.put32(agentLog(ctx.index), words.get32(agentLog(ctx.index)) + 1);
      const end = words.load32(TIME) + Math.ceil(ms) + (this.#plan.late ?? 0);
      const isWoken = sleepers.tryAcquire(1, this.#plan.timeless === true ? Infinity : ms);
      if (!isWoken) passTo(words, end);
      return isWoken;
    };
    return {
      tryAcquire,
      release: () => sleepers.release(),
      close: () => sleepers.close(),
      free: nothing,
      handle: sleepers.handle,
      get available() {
        return sleepers.available;
      },
    };
  }

  #log(ctx: Context, words: Words, weight: number, act: () => boolean): boolean {
    const from = agreed(words);
    if (!act()) return false;
    const takes = words.get32(agentLog(ctx.index) + 4);
    const at = takeAt(ctx.index, takes);
    words.put32(at, from);
    words.put32(at + 4, agreed(words));
    words.put32(at + 8, weight);
    words.put32(agentLog(ctx.index) + 4, takes + 1);
    return true;
  }

  /**
   * Checks that no window has more permits than a burst and those that came during the window, or while a timer before
   * it was late. A take counts for a window if it began and ended in it.
   */
  #checkWindows(words: Words): string | undefined {
    const takes = this.#plan.bodies.flatMap((_, agent) => takesOf(words, agent));
    for (const { from } of takes) {
      for (const { to } of takes) {
        const sum = takes
          .filter((take) => take.from >= from && take.to <= to)
          .reduce((all, { weight }) => all + weight, 0);
        if (sum > this.#plan.burst + Math.max(0, to - from) + Math.min(5, this.#plan.late ?? 0))
          return `${sum} permits were taken from ${from} to ${to} ms`;
      }
    }
    return undefined;
  }

  #checkRest(words: Words): string | undefined {
    if (this.#plan.isClosed === true)
      return this.held(words, 0) === 0 ? this.checkGates(words) : 'an agent is left at the head of the line';
    const kernel = this.#core.referenceKernel(words);
    const free = kernel.balance(semaphoreAddress(0));
    if (free !== 1) return `the line ends with ${free} free permits`;
    const arrival = Number(words.load64(BUCKET + ARRIVAL)) / TICKS_PER_MS;
    if (arrival !== (this.#plan.arrival ?? arrival)) return `the bucket is full at ${arrival} ms`;
    if (kernel.balance(semaphoreAddress(1)) < 0) return 'an agent is left at the alarm';
    return this.checkGates(words);
  }
}

function takesOf(words: Words, agent: number): Take[] {
  return Array.from({ length: words.get32(agentLog(agent) + 4) }, (_, take) => {
    const at = takeAt(agent, take);
    return { from: words.get32(at), to: words.get32(at + 4), weight: words.get32(at + 8) };
  });
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
