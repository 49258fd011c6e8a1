// What becomes of a lock when its owner dies.

import { vi } from 'vitest';
import { ownerDeathSuite } from '../../core/test/support/owner-death-suite.ts';
import { KINDS, servesLastFirst } from './support/kinds.ts';

vi.mock('../../core/src/kernel/kernel.ts', async (original) =>
  (await import('../../core/test/support/crash.ts')).crashingKernels(await original()),
);
vi.mock('../../core/src/kernel/words.ts', async (original) =>
  (await import('../../core/test/support/crash.ts')).crashingWords(await original()),
);
vi.mock('../../core/src/parking.ts', async (original) =>
  (await import('../../core/test/support/crash.ts')).crashingParking(await original()),
);

for (const kind of KINDS) {
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
