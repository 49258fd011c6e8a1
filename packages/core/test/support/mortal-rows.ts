// Operations as rows of a table of tests.

import type { Engine } from '../../src/kernel/kernel.ts';
import type { Operation } from './mortal-stage.ts';

const ENGINES = ['wasm', 'js'] as const;

export type Row = readonly [name: string, engine: Engine, operation: Operation];

/** Each with one of the engines: they do the same, step by step, as the differential test shows. */
export function rowsOfOneEngine(operations: readonly Operation[]): readonly Row[] {
  return operations.map((operation, index) => [operation.name, index % 2 === 0 ? 'wasm' : 'js', operation] as const);
}

export function rows(operations: readonly Operation[]): readonly Row[] {
  return operations.flatMap((operation) => ENGINES.map((engine) => [operation.name, engine, operation] as const));
}
