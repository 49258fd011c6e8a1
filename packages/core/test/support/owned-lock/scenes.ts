// Tests every owned lock with its own block when agents sleep and die at chosen points. The suite needs
// crash-injection.ts.

import { describe } from 'vitest';
import { ownerDeathSuite } from '../owner-death-suite.ts';
import { blocking } from './blocking.ts';
import { cycles } from './find-deadlock.ts';
import { servesLastFirst, type OwnedLockKind } from './kind.ts';

export function ownedLockScenes(all: readonly OwnedLockKind[]): void {
  describe.each(all)('$what', (kind) => {
    blocking(kind);
  });
  for (const kind of all) {
    ownerDeathSuite(kind.what, {
      create(arena) {
        const lock = kind.create({ arena, name: 'scene' });
        return { lock, handle: lock.handle };
      },
      open: (handle) => kind.from(handle),
      consistency: (handle) => kind.from(handle).inspect().consistency,
      lastFirst: servesLastFirst(kind),
    });
  }
  cycles(all);
}
