// Tests that a dump has no value of the program, for a table of primitives.

import { expect, test } from 'vitest';
import { Arena } from '../../../core/src/index.ts';
import { dumpArena, formatDump } from '../../src/index.ts';

export const SECRET = 'SECRET-OF-THE-PROGRAM';
export const SECRET_BYTES = new TextEncoder().encode(SECRET);

/** Defines a test for each primitive. `keep` puts the secret into a new primitive of the arena. */
export function testSecrets(primitives: readonly (readonly [string, keep: (own: Arena) => unknown])[]): void {
  test.each(primitives)(
    'a dump has nothing that a program keeps in a %s, unless it asks for the payload',
    (_, keep) => {
      const own = Arena.create({ maxPages: 64 });
      keep(own);
      const has = (dumped: Uint8Array): boolean => Buffer.from(dumped).includes(SECRET);
      expect(has(dumpArena(own, { payload: true }))).toBe(true);
      expect(has(dumpArena(own))).toBe(false);
      expect(formatDump(dumpArena(own))).toContain('Nothing looks wrong');
    },
  );
}
