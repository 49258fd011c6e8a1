// What becomes of a lock when its owner dies.

import { vi } from 'vitest';
import { heirSuite } from '../../core/test/support/heir-suite.ts';
import { KINDS, servesLastFirst } from './support/kinds.ts';

vi.mock('../../core/src/kernel/kernel.ts', async (original) =>
  (await import('../../core/test/support/mortal.ts')).mortalKernels(await original()),
);
vi.mock('../../core/src/kernel/words.ts', async (original) =>
  (await import('../../core/test/support/mortal.ts')).mortalWords(await original()),
);
vi.mock('../../core/src/parking.ts', async (original) =>
  (await import('../../core/test/support/mortal.ts')).mortalParking(await original()),
);

for (const kind of KINDS) {
  heirSuite(kind.what, {
    create(arena) {
      const lock = kind.create({ arena, name: 'scene' });
      return { lock, handle: lock.handle };
    },
    open: (handle) => kind.from(handle),
    consistency: (handle) => kind.from(handle).inspect().consistency,
    lastFirst: servesLastFirst(kind),
  });
}
