import { asyncWaitSuite } from '@sluice/conformance';
import { Arena, type WaitOptions } from '@sluice/core';
import { engineNamed } from '../../core/test/support/engines.ts';
import { CountdownLatch } from '../src/index.ts';
import './support/kinds.ts';

for (const engine of ['wasm', 'js'] as const) {
  asyncWaitSuite(`CountdownLatch (${engine})`, () => {
    const latch = CountdownLatch.create(1, { arena: Arena.create({ engine: engineNamed(engine), maxPages: 16 }) });
    // The suite grants one wait at a time: a wait that is admitted begins the next round.
    const wait = async (options?: WaitOptions): Promise<void> => {
      await latch.waitAsync(options);
      latch.add();
    };
    return { wait, grant: () => latch.done() };
  });
}
