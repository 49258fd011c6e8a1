import { lockSuite } from '@sluice/conformance';
import { Arena } from '@sluice/core';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Mutex, RecursiveMutex, type MutexOptions } from '../src/index.ts';
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
  const place = `(${engine}, buckets: ${buckets})`;

  for (const order of ['turns', 'fifo'] as const) {
    const options: MutexOptions = { arena, policy, order };
    // In a turn an agent that runs may find the mutex free although others wait. Those that wait are served in order nevertheless.
    const promises = { owned: true, fifo: true, barging: order === 'turns' };
    lockSuite(
      `Mutex, '${order}' ${place}`,
      () => {
        const lock = Mutex.create(options);
        return { lock, rival: openAs(other, lock.handle, (handle) => Mutex.from(handle)) };
      },
      promises,
    );
    lockSuite(
      `RecursiveMutex, '${order}' ${place}`,
      () => {
        const lock = RecursiveMutex.create(options);
        return { lock, rival: openAs(other, lock.handle, (handle) => RecursiveMutex.from(handle)) };
      },
      { ...promises, reentrant: true },
    );
  }
}
