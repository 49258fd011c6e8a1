import { lockSuite } from '@sluice/conformance';
import { Arena } from '@sluice/core';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { RwLock, type RwLockOptions } from '../src/index.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import './support/kinds.ts';

const PLACES = [
  { engine: 'wasm', buckets: 256, policy: {} },
  { engine: 'wasm', buckets: 1, policy: { spinMicros: 0 } },
  { engine: 'js', buckets: 256, policy: {} },
  { engine: 'js', buckets: 1, policy: {} },
] as const;

for (const { engine, buckets, policy } of PLACES) {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 64, policy: { buckets } });
  const other = secondAgent(arena);
  const options: RwLockOptions = { arena, policy };
  const place = `(${engine}, buckets: ${buckets})`;
  /** A lock as two agents see it. */
  const create = (): { ours: RwLock; theirs: RwLock } => {
    const ours = RwLock.create(options);
    return { ours, theirs: openAs(other, ours.handle, (handle) => RwLock.from(handle)) };
  };

  lockSuite(
    `RwLock.writer against another writer ${place}`,
    () => {
      const { ours, theirs } = create();
      return { lock: ours.writer, rival: theirs.writer };
    },
    { owned: true },
  );
  lockSuite(
    `RwLock.writer against a reader ${place}`,
    () => {
      const { ours, theirs } = create();
      return { lock: ours.writer, rival: theirs.reader };
    },
    { owned: true },
  );
  lockSuite(
    `RwLock.reader against a writer ${place}`,
    () => {
      const { ours, theirs } = create();
      return { lock: ours.reader, rival: theirs.writer };
    },
    { owned: true, shared: true },
  );
}
