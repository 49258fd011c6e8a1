// The exports of a file of cases, from which the runner (run.ts) makes tests.

import type { Depth } from '@sluice/harness';
import type { FailureKind, Options, Scenario } from '@sluice/model';
import type { Mutant } from './mutants.ts';

export interface Case {
  readonly scenario: Scenario;
  readonly options: Options;
  /** The least depth of a run that searches the case. Default: `quick`. */
  readonly depth?: Depth;
  /** The kind of failure that the case is expected to have. */
  readonly fails?: FailureKind;
}

/** The cases of one source, and mutants of that source. For each mutant, one case fails. */
export interface Model {
  /** The prefix of the name of each test. */
  readonly name: string;
  /** The module that exports what the cases need of the source. */
  readonly entry: URL;
  /** Whether the entry is built with its `async` functions lowered to generators, as async-loop.ts needs them. */
  readonly lowered?: boolean;
  /** Returns the cases. `source` has the exports of the entry, with or without a mutant. */
  readonly cases: (source: never) => readonly Case[];
  readonly mutants?: readonly Mutant[];
  /** An error that also catches a mutant, because the source itself detects the damage. */
  readonly caughtByError?: string;
}
