// What a case has at hand, in the main thread and in its workers.

import type * as Everything from 'sluice';
import type { Arena, ArenaOptions } from 'sluice';
import type * as Engine from 'sluice/js';

/** Everything that Sluice exports, from whichever build the visit names. */
export type Sluice = typeof Everything;
/** The kernel in TypeScript: the entry `sluice/js`. */
export type SluiceJs = typeof Engine;

/**
 * What a worker does when its life ends: it waits for events, blocks or computes and is terminated, calls
 * `process.exit`, or throws.
 */
export type Ending = 'is idle' | 'sleeps' | 'computes' | 'exits' | 'throws';

/** One run of a case. */
export interface Visit {
  readonly case: string;
  /** Which form of the packages all its threads load: a name that the host knows. */
  readonly build: string;
  /** Whether threads run the kernel in TypeScript. */
  readonly js: boolean;
  /** Without an arena of the main thread's own. */
  readonly bare: boolean;
  /** The endings that a case about deaths tries; by default all that the platform has. */
  readonly endings?: readonly Ending[];
}

/** Loads an entry of a package, in the form of the visit. */
export type Load = (entry: string) => Promise<unknown>;

/** The option with which a thread runs the kernel in TypeScript. */
export async function jsOptions(load: Load): Promise<Pick<ArenaOptions, 'engine'>> {
  return { engine: ((await load('sluice/js')) as SluiceJs).jsEngine };
}

export interface Tools {
  readonly sluice: Sluice;
  readonly arena: Arena;
  readonly load: Load;
}

export interface WorkerTools extends Tools {
  /** Posts a value to the main thread, which `Job.next` returns there. */
  readonly say: (value: unknown) => void;
}

/** The part of a worker, of either kind, that the cases need. */
export type AnyWorker = Parameters<Arena['watch']>[0] & { terminate(): unknown };

export interface Job {
  readonly worker: AnyWorker;
  /** The result of the job. */
  readonly done: Promise<unknown>;
  /** The next value that the job says. */
  next(): Promise<unknown>;
}

/** The differences between platforms. */
export interface Platform {
  /** Whether the main thread may block. */
  readonly mayBlock: boolean;
  /** For each ending of a worker, whether its thread ends. A platform without an ending does not list it. */
  readonly endings: Readonly<Partial<Record<Ending, boolean>>>;
}

export interface MainTools extends Tools {
  readonly visit: Visit;
  readonly platform: Platform;
  /** The URL of a file that lies beside the host. */
  readonly fileOf: (name: string) => URL;
  /** Runs a job of this case in a new worker. `mayDie`: the end of its worker is part of the case. */
  readonly start: (job: string, data?: unknown, options?: { readonly mayDie?: boolean }) => Job;
}

export interface Case {
  readonly main: (tools: MainTools) => Promise<unknown>;
  readonly jobs?: Readonly<Record<string, (tools: WorkerTools, data: never) => unknown>>;
}

export async function caseOf(name: string): Promise<Case> {
  return (await import(`./cases/${name}.ts`)) as Case;
}

/** A stack does not begin with the message on every platform. */
export function describe(reason: unknown): string {
  return reason instanceof Error ? `${reason.name}: ${reason.message}\n${reason.stack ?? ''}` : String(reason);
}

/** Compares as JSON. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const [a, e] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== e) throw new Error(`${what}: expected ${e}, and was ${a}`);
}

export function check(condition: boolean, what: string): void {
  if (!condition) throw new Error(`not true: ${what}`);
}

/** The error of a call that must fail, with that code. */
export async function failure(
  call: () => unknown,
  code: string,
): Promise<Error & { readonly code?: string; readonly guard?: { markConsistent(): void; release(): void } }> {
  try {
    await call();
  } catch (error) {
    const given = error as Error & { readonly code?: string };
    if ((given.code ?? given.name) === code) return given;
    throw new Error(`expected ${code}, and was ${given.code ?? given.name}: ${given.message}`, { cause: error });
  }
  throw new Error(`expected ${code}, and the call succeeded`);
}

/**
 * The next number, some time after it was read: every 40th round the worker sleeps for 1 ms in between, so that other
 * threads would run meanwhile if nothing kept them out.
 */
export function addSlowly(int32: Int32Array, index: number, round: number): void {
  const read = int32[index] ?? 0;
  if (round % 40 === 1) rest();
  int32[index] = read + 1;
}

const never = typeof SharedArrayBuffer === 'function' ? new Int32Array(new SharedArrayBuffer(4)) : undefined;

/** Blocks a worker for 1 ms. */
export function rest(): void {
  if (never !== undefined) Atomics.wait(never, 0, 0, 1);
}

/**
 * Blocks until that many workers are there: those that run one after the other need no lock. `index`: of a word that
 * counts them.
 */
export function meet(int32: Int32Array, index: number, workers: number): void {
  Atomics.add(int32, index, 1);
  Atomics.notify(int32, index);
  for (;;) {
    const arrived = Atomics.load(int32, index);
    if (arrived >= workers) return;
    Atomics.wait(int32, index, arrived);
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
