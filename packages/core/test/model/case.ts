// What a file of cases exports: the runner (run.ts) makes tests of it.

import type { Depth } from '@sluice/harness';
import type { FailureKind, Options, Scenario } from '@sluice/model';
import type { Mutant } from './mutants.ts';

export interface Case {
  readonly scenario: Scenario;
  readonly options: Options;
  /** The least depth of a run that searches it. Default: `quick`. */
  readonly depth?: Depth;
  /** How it is known to fail. */
  readonly fails?: FailureKind;
}

/** Cases of one source, and mutants of that source, each of which one of the cases catches. */
export interface Model {
  /** Stands at the beginning of the name of each test. */
  readonly name: string;
  /** The module that exports what the cases need of the source. */
  readonly entry: URL;
  /** Whether the entry is built with its `async` functions lowered to generators, as async-loop.ts needs them. */
  readonly lowered?: boolean;
  /** `source`: what the entry exports, whole or with a mutant in it. */
  readonly cases: (source: never) => readonly Case[];
  readonly mutants?: readonly Mutant[];
  /** An error that catches a mutant, too: the source itself finds what is wrong. */
  readonly caughtByError?: string;
}
