// Tests that a dump has no value of the program, of any primitive, and that it has the key of a lock that is held.

import { expect, test } from 'vitest';
import { Broadcast, WatchCell } from '../../../packages/broadcast/src/index.ts';
import { SharedCache } from '../../../packages/cache/src/index.ts';
import { Arena } from '../../../packages/core/src/index.ts';
import { Lazy } from '../../../packages/event/src/index.ts';
import { dumpArena, formatDump } from '../../../packages/inspect/src/index.ts';
import { SECRET, SECRET_BYTES, testSecrets } from '../../../packages/inspect/test/support/secrets.ts';
import { KeyedMutex } from '../../../packages/named/src/index.ts';
import { SeqLock } from '../../../packages/seq-lock/src/index.ts';

testSecrets([
  [
    'broadcast',
    (own) => {
      const broadcast = Broadcast.create({ arena: own, codec: 'json' });
      broadcast.subscribe();
      broadcast.publish(SECRET);
    },
  ],
  ['watch cell', (own) => WatchCell.create(SECRET, { arena: own, codec: 'json' }).set(SECRET)],
  ['lazy', (own) => Lazy.create<string>({ arena: own, codec: 'json' }).get(() => SECRET)],
  ['seq-lock', (own) => SeqLock.create({ arena: own, byteLength: 64 }).write((value) => value.bytes.set(SECRET_BYTES))],
  ['cache', (own) => SharedCache.create<string>({ arena: own, codec: 'json', maxBytes: 65_536 }).set(SECRET, SECRET)],
]);

test('the key of a lock that is held is the name of a primitive', () => {
  const own = Arena.create({ maxPages: 64 });
  KeyedMutex.create({ arena: own, name: 'accounts' }).run('17', () => {
    expect(formatDump(dumpArena(own))).toMatch(/^ {2}lock '.*17.*': held by agent 1/m);
  });
});
