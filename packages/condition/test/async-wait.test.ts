import { asyncWaitSuite } from '@sluice/conformance';
import { Arena, type WaitOptions } from '@sluice/core';
import { engineNamed } from '../../core/test/support/engines.ts';
import { Mutex } from '../../mutex/src/index.ts';
import { Condition } from '../src/index.ts';
import './support/kinds.ts';

for (const engine of ['wasm', 'js'] as const) {
  asyncWaitSuite(`Condition (${engine})`, () => {
    const lock = Mutex.create({ arena: Arena.create({ engine: engineNamed(engine), maxPages: 16 }) });
    const condition = Condition.create(lock);
    const wait = async (options?: WaitOptions): Promise<void> => {
      lock.lock();
      try {
        await condition.waitAsync(options);
      } finally {
        lock.unlock();
      }
    };
    return { wait, grant: () => condition.notify() };
  });
}
