import { asyncWaitSuite, type AwaitedThing } from '@sluice/conformance';
import { Arena, type WaitOptions } from '@sluice/core';
import { engineNamed } from '../../../core/test/support/engines.ts';
import { Condition, Mutex } from '../../src/index.ts';
import './support/kinds.ts';

for (const engine of ['wasm', 'js'] as const) {
  const create = (): AwaitedThing => {
    const lock = Mutex.create({ arena: Arena.create({ engine: engineNamed(engine), maxPages: 16 }) });
    const condition = Condition.create(lock);
    let granted = 0;
    // A condition keeps no notifications, so each grant of the suite notifies a waiter.
    const wait = (options?: WaitOptions): Promise<void> =>
      lock.runAsync(async () => {
        await condition.waitForAsync(() => granted > 0, options);
        granted -= 1;
      });
    const grant = (): void => {
      granted += 1;
      condition.notify();
    };
    return { wait, grant };
  };
  asyncWaitSuite(`Condition (${engine})`, create, { staged: true });
}
