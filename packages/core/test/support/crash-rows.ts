// Operations as rows of a table of tests.

import { scale } from '@sluice/harness';
import type { Engine } from '../../src/kernel/kernel.ts';
import type { Operation } from './crash-stage.ts';

const ENGINES = ['wasm', 'js'] as const;

export type Row = readonly [name: string, engine: Engine, operation: Operation];

/** Each with one of the engines: they do the same, step by step, as the differential test shows. */
export function rowsOfOneEngine(operations: readonly Operation[]): readonly Row[] {
  return operations.map((operation, index) => [operation.name, index % 2 === 0 ? 'wasm' : 'js', operation] as const);
}

/** Those that take long: every other one, and all of them in long runs. */
export function someRows(operations: readonly Operation[]): readonly Row[] {
  return rowsOfOneEngine(operations.filter((_, index) => index % 2 === 0 || scale(1) > 1));
}

export function rows(operations: readonly Operation[]): readonly Row[] {
  return operations.flatMap((operation) => ENGINES.map((engine) => [operation.name, engine, operation] as const));
}
