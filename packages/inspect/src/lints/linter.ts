// Looks for uses of locks that are correct but slow the program down. A tool of its thread.

import { duration } from '@sluice/core/calls';
import type { WaitEnding } from '@sluice/core/report';
import { OpenHolds } from '../observe/open-holds.ts';
import { callersOfCall, callersOfWait } from '../observe/calls.ts';
import { placeText, type Place } from '../observe/call-place.ts';
import type { UsedPrimitive } from '../observe/used-primitive.ts';
import { IdleTool, type ObservedWait } from '../observe/tool.ts';
import type { LintName } from './names.ts';

/** Limits of the lints, in ms; `pollingTimeouts` is a number of timeouts. */
export interface LintLimits {
  /** A lock that is held for longer across an `await`. Default 100. */
  readonly heldAcrossAwait: number;
  /** A blocking call of the main thread that parks it for longer. Default 10. */
  readonly blocksMain: number;
  /** This number of timeouts in succession, each of at most 100 ms. Default 20. */
  readonly pollingTimeouts: number;
  /** A writer that waits for longer. Default 1000. */
  readonly writerStarved: number;
  /** An event loop that does not turn for longer while an async call of the thread waits. Default 250. */
  readonly staleGrant: number;
}

export const DEFAULT_LIMITS: LintLimits = {
  heldAcrossAwait: 100,
  blocksMain: 10,
  pollingTimeouts: 20,
  writerStarved: 1000,
  staleGrant: 250,
};

/** What a lint found. */
export interface LintFinding {
  readonly lint: LintName;
  /** How reports name the primitive, or ''. */
  readonly primitive: string;
  /** The callers of the call, the innermost first. Empty if they were not kept. */
  readonly place: readonly Place[];
  /** The text of the warning. It may change with every version. */
  readonly text: string;
}

/** What the linter needs of its thread. */
export interface LintThread {
  /** ms on a clock that does not go back. */
  now(): number;
  /** Calls a function in the next turn of the event loop, or earlier, but not before the next `await` of the caller. */
  soon(turn: () => void): void;
  /** Whether this is a main thread whose event loop has work. */
  isBusyMain(): boolean;
  /** Starts or stops calls of `tick`, several in each period of `staleGrant`. */
  setTicking(isTicking: boolean): void;
}

/** The acquisitions of each primitive whose callers are kept. */
const STACKS = 64;
/** The longest timeout in ms that counts as polling. */
const SHORT_MS = 100;

type Stack = readonly Place[];

interface Open {
  readonly primitive: UsedPrimitive;
  readonly stack: Stack;
  readonly began: number;
  readonly turn: number;
}

interface Entry {
  stacks: number;
  timeouts: number;
  /** The time at which the last wait ended. */
  ended: number;
}

export class Linter extends IdleTool {
  readonly #limits: LintLimits;
  readonly #thread: LintThread;
  readonly #find: (finding: LintFinding) => void;
  readonly #open = new OpenHolds<Open>();
  readonly #entries = new WeakMap<UsedPrimitive, Entry>();
  readonly #found = new Set<string>();
  /** Increases at the first await or turn of the event loop after a hold began. */
  #turn = 0;
  #isTurnAsked = false;
  #asyncWaits = 0;
  /** The time of the last tick, and the time between the last two ticks, in ms. */
  #lastTick = 0;
  #lag = 0;

  constructor(limits: LintLimits, thread: LintThread, find: (finding: LintFinding) => void) {
    super();
    this.#limits = limits;
    this.#thread = thread;
    this.#find = find;
  }

  override holdAsked(primitive: UsedPrimitive): unknown {
    const entry = this.#entry(primitive);
    if (entry.stacks === 0) return undefined;
    entry.stacks -= 1;
    return callersOfCall();
  }

  override holdBegins(primitive: UsedPrimitive, _permits: number, slot: string, asked: unknown): void {
    const entry = this.#entries.get(primitive);
    if (entry !== undefined) entry.timeouts = 0;
    // Permits may be released by any thread, and those of a pool are held for as long as they are used.
    if (!isLock(primitive)) return;
    this.#askForTurn();
    const stack = (asked ?? []) as Stack;
    this.#open.begin(primitive, slot, { primitive, stack, began: this.#thread.now(), turn: this.#turn });
  }

  override holdEnds(primitive: UsedPrimitive, _permits: number, slot: string): void {
    for (let held = this.#open.end(primitive, slot); held !== undefined; held = this.#open.end(primitive, slot)) {
      const ms = this.#thread.now() - held.began;
      if (held.turn === this.#turn || ms <= this.#limits.heldAcrossAwait) continue;
      this.#report(
        'held-across-await',
        primitive,
        held.stack,
        `This thread held ${String(primitive)} for ${duration(ms)}, while it awaited something${acquiredAt(held.stack)}. Other threads wait meanwhile: await before the lock is acquired, or after it is released.`,
      );
    }
  }

  override waitBegins({ how }: ObservedWait): void {
    if (how === 'blocking') return;
    this.#asyncWaits += 1;
    if (this.#asyncWaits > 1) return;
    this.#lastTick = this.#thread.now();
    this.#lag = 0;
    this.#thread.setTicking(true);
  }

  override waitEnds(wait: ObservedWait, ending: WaitEnding): void {
    const ms = this.#thread.now() - wait.began;
    if (wait.how === 'async') this.#asyncEnds(wait, ending);
    else this.#blockingEnds(wait, ms);
    this.#checkTimeouts(wait, ending, ms);
    if (wait.primitive.side === 'write' && ms > this.#limits.writerStarved)
      this.#report(
        'writer-starved',
        wait.primitive,
        callersOfWait(),
        `A writer waited ${duration(ms)} for ${String(wait.primitive)}. Let those that hold it release it between their steps.`,
      );
  }

  /** The event loop turns. */
  tick(): void {
    const now = this.#thread.now();
    this.#lag = now - this.#lastTick;
    this.#lastTick = now;
  }

  /** The thread ends. Reports what it still holds. */
  ends(): void {
    for (const { primitive, stack, began } of this.#open.all())
      this.#report(
        'never-released',
        primitive,
        stack,
        `This thread ended while it held ${String(primitive)}${acquiredAt(stack)}, for ${duration(this.#thread.now() - began)}. Its next owner gets OwnerDiedError: release it in a finally block, or use run or using.`,
      );
  }

  #entry(primitive: UsedPrimitive): Entry {
    const known = this.#entries.get(primitive);
    if (known !== undefined) return known;
    const entry: Entry = { stacks: STACKS, timeouts: 0, ended: -Infinity };
    this.#entries.set(primitive, entry);
    return entry;
  }

  #askForTurn(): void {
    if (this.#isTurnAsked) return;
    this.#isTurnAsked = true;
    this.#thread.soon(() => {
      this.#turn += 1;
      this.#isTurnAsked = false;
    });
  }

  #blockingEnds({ primitive }: ObservedWait, ms: number): void {
    if (ms < this.#limits.blocksMain || !this.#thread.isBusyMain()) return;
    this.#report(
      'blocks-main',
      primitive,
      callersOfWait(),
      `A blocking call for ${String(primitive)} parked the main thread for ${duration(ms)}, while its event loop had timers, sockets or async waits to serve. Await instead, as with acquireAsync or lockAsync.`,
    );
  }

  #asyncEnds({ primitive }: ObservedWait, ending: WaitEnding): void {
    this.#asyncWaits -= 1;
    if (this.#asyncWaits === 0) this.#thread.setTicking(false);
    // The wait may end before the tick of this turn, or after it.
    const lag = Math.max(this.#thread.now() - this.#lastTick, this.#lag);
    if (ending !== 'taken' || lag <= this.#limits.staleGrant) return;
    this.#lag = 0;
    this.#report(
      'stale-grant',
      primitive,
      [],
      `The event loop of this thread did not turn for ${duration(lag)}, while an async call of it waited for ${String(primitive)}. If it was granted meanwhile, no thread could use it until the loop turned: split the work between the awaits, or use a blocking call in a worker.`,
    );
  }

  #checkTimeouts({ primitive, began }: ObservedWait, ending: WaitEnding, ms: number): void {
    const entry = this.#entry(primitive);
    const follows = began >= entry.ended;
    entry.ended = this.#thread.now();
    if (ending !== 'timed-out' || ms > SHORT_MS) entry.timeouts = 0;
    // Calls that wait side by side, each with its own timeout, are no polling.
    else if (follows) entry.timeouts += 1;
    if (entry.timeouts < this.#limits.pollingTimeouts) return;
    entry.timeouts = 0;
    this.#report(
      'polling-timeouts',
      primitive,
      callersOfWait(),
      `${this.#limits.pollingTimeouts} calls for ${String(primitive)} in succession ended with a timeout of at most ${SHORT_MS} ms. Each wait begins at the end of the line: wait once, without a timeout or with one as long as the task may take.`,
    );
  }

  /** Reports a finding, once for each primitive. */
  #report(lint: LintName, primitive: UsedPrimitive, place: Stack, text: string): void {
    const key = `${lint} ${primitive.arena} ${String(primitive)}`;
    if (this.#found.has(key)) return;
    this.#found.add(key);
    this.#find({ lint, primitive: String(primitive), place, text });
  }
}

function isLock({ isOwned, side }: UsedPrimitive): boolean {
  return isOwned || side !== '';
}

function acquiredAt([place]: Stack): string {
  return place === undefined ? '' : ` (acquired at ${placeText(place)})`;
}
