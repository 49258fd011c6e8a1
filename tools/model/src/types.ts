// What a scenario is made of, and what an exploration answers.

/**
 * The atomic operations of the code under test. 32-bit values wrap as in an Int32Array, 64-bit as in a BigInt64Array.
 */
export interface Words {
  load32(address: number): number;
  store32(address: number, value: number): void;
  add32(address: number, delta: number): number;
  cas32(address: number, expected: number, value: number): number;
  exchange32(address: number, value: number): number;
  load64(address: number): bigint;
  store64(address: number, value: bigint): void;
  add64(address: number, delta: bigint): bigint;
  cas64(address: number, expected: bigint, value: bigint): bigint;
  /** Words that one agent has for itself at that moment: performed at once, no scheduling point. */
  get32(address: number): number;
  put32(address: number, value: number): void;
  get64(address: number): bigint;
  put64(address: number, value: bigint): void;
}

export type WaitResult = 'ok' | 'not-equal' | 'timed-out';

export interface Parking {
  /** Compares and falls asleep in one operation. `timed`: the explorer may also let it time out, at any moment. */
  wait(address: number, expected: number, timed?: boolean): WaitResult;
  /** Wakes up to `count` sleepers, longest asleep first; answers how many. */
  notify(address: number, count?: number): number;
}

export interface Context {
  readonly index: number;
  readonly name: string;
  readonly words: Words;
  readonly parking: Parking;
  /** A free choice of 0 to n - 1; each is explored. */
  choose(n: number, label?: string): number;
  /** A line in the trace. */
  note(text: string): void;
  assert(condition: boolean, message: string): void;
  /** A kernel step begins: an agent that may crash may die here, and not again before the next step. */
  step(name: string): void;
  /** Whether the explorer has killed that agent. */
  dead(agent: number): boolean;
  /** Sleeps until that agent has died (true) or has returned (false). */
  waitForDeath(agent: number): boolean;
  /**
   * One vain round of an endless spin loop is over. The agent goes on only when a word that it read in that round has
   * changed. The loop must carry no state of its own from round to round: no count of spins.
   */
  pause(): void;
  /** Spins until `condition`, which may only read, is true. */
  until(condition: () => boolean): void;
  /**
   * A promise that speeds the search up: from here on this agent behaves, and returns, the same whatever it did before,
   * given the same `summary` and the same number of `forget` calls.
   */
  forget(...summary: number[]): void;
}

export interface AgentSpec {
  readonly name: string;
  /** Deterministic and synchronous; its only state is what it reads through `ctx`. It is run many times. */
  body(this: void, ctx: Context): unknown;
}

/** Nothing, or `false` or a text (what is wrong). A thrown error counts as wrong, too. */
export type Verdict = undefined | boolean | string;

export interface Scenario {
  readonly name: string;
  /** Size of the memory. */
  readonly bytes: number;
  setup?(this: void, words: Words): void;
  readonly agents: readonly AgentSpec[];
  /** Checked after every operation. Must depend on the words alone. */
  invariant?(this: void, words: Words): Verdict | void;
  /** Checked at the end of each complete execution. `outcomes`: what each body returned, or `DIED`. */
  final?(this: void, words: Words, outcomes: readonly unknown[]): Verdict | void;
  /** Given, a deadlock is no failure: this is called instead. `outcomes` has `STUCK` for agents that wait. */
  stuck?(this: void, words: Words, outcomes: readonly unknown[]): Verdict | void;
  /** Names a word in traces. */
  label?(this: void, address: number): string | undefined;
  /** Agents that may die at a step boundary or asleep, and how many in one execution (default 1). */
  readonly mayCrash?: readonly number[];
  readonly deaths?: number;
}

export interface Options {
  /** At most this many switches away from an agent that could go on; none given: all interleavings. */
  readonly preemptions?: number;
  readonly maxExecutions?: number;
  readonly maxMillis?: number;
  /** The search ends after so many operations, whether or not it has seen all schedules. */
  readonly budget?: number;
  /** A sleeper may wake for no reason, this many times in one execution (`true`: once). */
  readonly spurious?: boolean | number;
  /** Random schedules instead of a search. */
  readonly random?: { readonly seed: number; readonly executions: number };
  /** Longer executions are reported as livelocks. Default 5,000. */
  readonly maxOperations?: number;
  /** `get` and `put` on words that several agents touch are scheduling points, too. */
  readonly scheduleLocal?: boolean;
  /** A failure is searched again with few preemptions, for a trace that is easy to read. Default true. */
  readonly simplify?: boolean;
  /** Each can be switched off, to check the explorer itself. */
  readonly reductions?: {
    readonly cache?: boolean;
    readonly sleepSets?: boolean;
    readonly privateWords?: boolean;
    readonly recall?: boolean;
  };
}

export type FailureKind = 'deadlock' | 'assertion' | 'invariant' | 'error' | 'livelock';

export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
  /** The schedule, as numbered lines. */
  readonly trace: readonly string[];
}

export interface Result {
  readonly scenario: string;
  /** Complete schedules. */
  readonly executions: number;
  /** Schedules cut because the state was seen before, or because all that was left is covered elsewhere. */
  readonly merged: number;
  readonly states: number;
  readonly operations: number;
  /** Everything within the given bounds was explored. */
  readonly exhausted: boolean;
  readonly deadlocks: number;
  readonly preemptions: number | undefined;
  readonly millis: number;
  readonly failure?: Failure;
}

export const DIED: unique symbol = Symbol('died');
export const STUCK: unique symbol = Symbol('stuck');
