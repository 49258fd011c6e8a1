// The parts of a scenario and the results of an exploration.

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
  /**
   * `get` and `put` access words that only one agent uses at that moment. They are performed at once and are no
   * scheduling points.
   */
  get32(address: number): number;
  put32(address: number, value: number): void;
  get64(address: number): bigint;
  put64(address: number, value: bigint): void;
}

export type WaitResult = 'ok' | 'not-equal' | 'timed-out';

export interface Parking {
  /**
   * Compares and falls asleep in one operation. If `timed`, the explorer may also let the wait time out at any moment.
   */
  wait(address: number, expected: number, timed?: boolean): WaitResult;
  /** Wakes up to `count` sleepers, longest asleep first. Returns the number of sleepers woken. */
  notify(address: number, count?: number): number;
}

export interface Context {
  readonly index: number;
  readonly name: string;
  readonly words: Words;
  readonly parking: Parking;
  /** Returns a number from 0 to n - 1. The explorer tries each. */
  choose(n: number, label?: string): number;
  /** Adds a line to the trace. */
  note(text: string): void;
  assert(condition: boolean, message: string): void;
  /** Marks the beginning of a kernel step. An agent that may crash may die here, and then only at the next step. */
  step(name: string): void;
  /** Returns whether the explorer has killed that agent. */
  dead(agent: number): boolean;
  /** Sleeps until that agent has died or returned. Returns true if it died. */
  waitForDeath(agent: number): boolean;
  /**
   * Marks the end of a round without effect in an endless spin loop. The agent continues only when a word that it read
   * in that round has changed. The loop must keep no state between rounds, such as a count of spins.
   */
  pause(): void;
  /** Spins until `condition`, which may only read, is true. */
  until(condition: () => boolean): void;
  /**
   * A promise of the body that speeds up the search: the agent's further behaviour and its result depend only on
   * `summary` and on the number of `forget` calls, not on its earlier operations.
   */
  forget(...summary: number[]): void;
}

export interface AgentSpec {
  readonly name: string;
  /**
   * The code of the agent. It must be deterministic and synchronous, and its only state is what it reads through `ctx`.
   * The explorer runs it many times.
   */
  body(this: void, ctx: Context): unknown;
}

/** The result of a check. `false` or a text (the description of the error) means failure, as does a thrown error. */
export type Verdict = undefined | boolean | string;

export interface Scenario {
  readonly name: string;
  /** The size of the memory. */
  readonly bytes: number;
  setup?(this: void, words: Words): void;
  readonly agents: readonly AgentSpec[];
  /** Checked after every operation. Must depend only on the words. */
  invariant?(this: void, words: Words): Verdict | void;
  /** Checked at the end of each complete execution. `outcomes` has the return value of each body, or `DIED`. */
  final?(this: void, words: Words, outcomes: readonly unknown[]): Verdict | void;
  /** If present, it is called at a deadlock, which is then no failure. `outcomes` has `STUCK` for agents that wait. */
  stuck?(this: void, words: Words, outcomes: readonly unknown[]): Verdict | void;
  /** Returns the name of a word for traces. */
  label?(this: void, address: number): string | undefined;
  /**
   * The agents that may die at a step boundary or asleep, and the maximum number of deaths in one execution (default:
   * 1).
   */
  readonly mayCrash?: readonly number[];
  readonly deaths?: number;
}

export interface Options {
  /** The maximum number of switches away from an agent that could continue. Default: all interleavings. */
  readonly preemptions?: number;
  readonly maxExecutions?: number;
  readonly maxMillis?: number;
  /** The number of operations after which the search ends, even if schedules remain. */
  readonly budget?: number;
  /** The maximum number of spurious wake-ups in one execution (`true`: one). */
  readonly spurious?: boolean | number;
  /** Random schedules instead of a search. */
  readonly random?: { readonly seed: number; readonly executions: number };
  /** The maximum number of operations of an execution. A longer execution is reported as a livelock. Default: 5,000. */
  readonly maxOperations?: number;
  /** Whether `get` and `put` on words that several agents touch are scheduling points, too. */
  readonly scheduleLocal?: boolean;
  /** Whether a failure is searched again with few preemptions, for a trace that is easy to read. Default: true. */
  readonly simplify?: boolean;
  /** The reductions of the search. Each can be switched off to check the explorer itself. */
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
  /** The number of complete schedules. */
  readonly executions: number;
  /**
   * The number of schedules cut because the state was seen before or all remaining transitions are covered elsewhere.
   */
  readonly merged: number;
  readonly states: number;
  readonly operations: number;
  /** Whether the search explored everything within the given bounds. */
  readonly exhausted: boolean;
  readonly deadlocks: number;
  readonly preemptions: number | undefined;
  readonly millis: number;
  readonly failure?: Failure;
}

export const DIED: unique symbol = Symbol('died');
export const STUCK: unique symbol = Symbol('stuck');
