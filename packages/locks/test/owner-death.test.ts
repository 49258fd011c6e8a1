// What becomes of a lock when its owner dies.

import '../../core/test/support/crash-injection.ts';
import { ownerDeathSuite } from '../../core/test/support/owner-death-suite.ts';
import { KINDS, servesLastFirst } from './support/kinds.ts';

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
