import { lockSuite } from '@sluice/conformance';
import { Arena } from '@sluice/core';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { KINDS } from './support/kinds.ts';
import { engineNamed } from '../../core/test/support/engines.ts';

const PLACES = [
  { engine: 'wasm', buckets: 256, policy: {} },
  { engine: 'wasm', buckets: 1, policy: { spinMicros: 0 } },
  { engine: 'js', buckets: 256, policy: {} },
  { engine: 'js', buckets: 1, policy: {} },
] as const;

for (const { engine, buckets, policy } of PLACES) {
  const arena = Arena.create({ engine: engineNamed(engine), maxPages: 64, policy: { buckets } });
  const other = secondAgent(arena);

  for (const kind of KINDS) {
    lockSuite(
      `${kind.what} (${engine}, buckets: ${buckets})`,
      () => {
        const lock = kind.create({ arena, policy });
        return { lock, rival: openAs(other, lock.handle, (handle) => kind.from(handle)) };
      },
      { owned: true, fifo: kind.serves === 'first', barging: kind.serves === 'anybody' },
    );
  }
}
