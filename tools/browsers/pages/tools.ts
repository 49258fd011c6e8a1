// What a case has at hand, on the page and in its workers.

import type * as Everything from '@sluice/all';
import type { Arena } from '@sluice/all';

/** Everything that Sluice exports, from whichever build the visit names. */
export type Sluice = typeof Everything;

/** Where the modules of a visit come from, for the page and its workers. */
export interface Visit {
  readonly case: string;
  /** The URL of Sluice. */
  readonly build: string;
  /** Whether threads run the kernel in TypeScript. */
  readonly js: boolean;
}

export interface Tools {
  readonly sluice: Sluice;
  readonly arena: Arena;
}

export interface WorkerTools extends Tools {
  /** Posts a value to the page, which `Job.next` returns there. */
  readonly say: (value: unknown) => void;
}

export interface Job {
  readonly worker: Worker;
  /** What the job returns. */
  readonly done: Promise<unknown>;
  /** The next value that the job says. */
  next(): Promise<unknown>;
}

export interface PageTools extends Tools {
  readonly visit: Visit;
  /** Runs a job of this case in a new module worker. */
  readonly start: (job: string, data?: unknown) => Job;
}

export interface Case {
  readonly page: (tools: PageTools) => Promise<unknown>;
  readonly jobs?: Readonly<Record<string, (tools: WorkerTools, data: never) => unknown>>;
}

/** Loads Sluice, and opens the arena, if the visit has one. */
export async function load({ build }: Visit): Promise<Sluice> {
  return (await import(build)) as Sluice;
}

export async function caseOf(visit: Visit): Promise<Case> {
  return (await import(`./cases/${visit.case}.ts`)) as Case;
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
export async function failure(call: () => unknown, code: string): Promise<Error & { readonly code?: string; readonly guard?: { markConsistent(): void; release(): void } }> {
  try {
    await call();
  } catch (error) {
    const given = error as Error & { readonly code?: string };
    if ((given.code ?? given.name) === code) return given;
    throw new Error(`expected ${code}, and was ${given.code ?? given.name}: ${given.message}`, { cause: error });
  }
  throw new Error(`expected ${code}, and the call succeeded`);
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
