// Where the steps of one engine run.

import { literal, plainOf } from '../sql/quote.ts';
import { tablesIn, type Tables } from '../sql/tables.ts';

/** The rows of each statement of a message. Every value is text. */
export type Rows = readonly (readonly (string | null)[])[];

/** Sends a message of several statements. */
export type Query = (sql: string) => Promise<readonly Rows[]>;

export interface StepContext {
  readonly tables: Tables;
  /** The namespace as a constant of SQL. */
  readonly namespace: string;
  /** The engine whose steps run. Only its own sessions obey them. */
  readonly owner: string;
  /** Whether its sessions look for their mail, because they cannot LISTEN. */
  readonly polls: boolean;
  /** How long a step waits for the steps of others, in ms. */
  readonly lockMs: number;
  /** The server ends a transaction whose process does not go on for this time, in ms. */
  readonly idleMs: number;
  /** The server's clock in µs, as an expression. */
  readonly clock: string;
}

/** Replaced by tests alone. */
export const SERVER_CLOCK = 'round(extract(epoch FROM clock_timestamp()) * 1000000)::bigint';

export function contextOf(
  schema: string,
  namespace: string,
  rest: Omit<StepContext, 'tables' | 'namespace' | 'clock'>,
  clock = SERVER_CLOCK,
): StepContext {
  return { ...rest, tables: tablesIn(schema), namespace: literal(plainOf(namespace)), clock };
}
