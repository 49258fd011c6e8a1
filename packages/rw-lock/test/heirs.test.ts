// What becomes of a write lock when its owner dies: as of any owned lock. What becomes of readers: rw-recovery.test.ts.

import { vi } from 'vitest';
import { heirSuite } from '../../core/test/support/heir-suite.ts';
import { RwLock } from '../src/index.ts';

vi.mock('../../core/src/kernel/kernel.ts', async (original) =>
  (await import('../../core/test/support/mortal.ts')).mortalKernels(await original()),
);
vi.mock('../../core/src/kernel/words.ts', async (original) =>
  (await import('../../core/test/support/mortal.ts')).mortalWords(await original()),
);
vi.mock('../../core/src/parking.ts', async (original) =>
  (await import('../../core/test/support/mortal.ts')).mortalParking(await original()),
);

heirSuite('RwLock.writer', {
  create(arena) {
    const { handle, writer } = RwLock.create({ arena, name: 'scene' });
    return { lock: writer, handle };
  },
  open: (handle) => RwLock.from(handle).writer,
  consistency: (handle) => RwLock.from(handle).inspect().consistency,
});
