// The schema of the tables.

import { show } from '@sluice/core/calls';
import { definitionsOf } from './tables.ts';

export const SCHEMA = 'sluice';

/** Names that SQL need not quote, so that programs can write them as they are. */
const NAME = /^[a-z_][a-z0-9_]{0,62}$/;

/** Returns the name. Throws `TypeError` or `RangeError`. */
export function checkSchema(schema: unknown): string {
  if (typeof schema !== 'string') throw new TypeError(`schema must be a string: received ${show(schema)}`);
  if (!NAME.test(schema))
    throw new RangeError(
      `schema must have 1 to 63 lower-case letters, digits or underscores, and not begin with a digit: received ${show(schema)}`,
    );
  return schema;
}

/**
 * Returns the statements that create what is missing of the schema and its tables. `connect` runs them itself, if its
 * user may create tables. Otherwise an administrator can run them once.
 *
 * @throws {TypeError} If `schema` is not a string.
 * @throws {RangeError} If `schema` is not a plain name.
 */
export function tableDefinitions(schema: string = SCHEMA): string {
  return `${definitionsOf(checkSchema(schema)).join(';\n\n')};\n`;
}
