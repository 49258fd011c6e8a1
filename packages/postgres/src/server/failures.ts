// What an error of the client means for the steps that were sent.

import { messageOf } from '@sluice/core/calls';
import { Interrupted } from '@sluice/remote/internal';
import { PostgresError } from './errors.ts';

/**
 * The errors after which the same steps may succeed: a lost connection (08), a deadlock or a conflict (40), a lock that
 * was not granted in time (55P03), a cancelled statement (57014), a server that stops or starts (57P), a transaction
 * that was idle for too long (25P03), one on a standby (25006), and too many connections (53300).
 */
const PASSING = /^(08...|40...|55P03|57014|57P0[1-5]|25P03|25006|53300)$/;
/** The tables, or their schema, do not exist. */
const WITHOUT_TABLES = /^(42P01|3F000)$/;
const FULL = '53100';

/** The code of an error of the server. Undefined for another error. */
export function stateOf(failure: unknown): string | undefined {
  // Errors of sockets have a code, too, such as EPIPE.
  const { code, severity } = failure as { readonly code?: unknown; readonly severity?: unknown };
  return typeof code === 'string' && severity !== undefined ? code : undefined;
}

export function lacksTables(failure: unknown): boolean {
  return WITHOUT_TABLES.test(stateOf(failure) ?? '');
}

/** Returns the error with which steps reject that were in a message to the server. */
export function stepFailure(failure: unknown): Error {
  if (failure instanceof Interrupted || failure instanceof PostgresError) return failure;
  const state = stateOf(failure);
  const message = messageOf(failure);
  // A fault of this package. To send the steps again would not help.
  if (state === undefined)
    return new PostgresError(`A call failed, and changed nothing: ${message}`, { cause: failure });
  if (PASSING.test(state) || lacksTables(failure)) return new Interrupted(message, { cause: failure });
  if (state === FULL)
    return new PostgresError(
      `The Postgres server has no space left, and refused a call that needs some. Nothing was changed. The server says: ${message}`,
      { cause: failure },
    );
  return new PostgresError(`The Postgres server refused a call. Nothing was changed. The server says: ${message}`, {
    cause: failure,
  });
}
