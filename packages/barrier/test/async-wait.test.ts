import { asyncWaitSuite } from '@sluice/conformance';
import { Arena, type WaitOptions } from '@sluice/core';
import { engineNamed } from '../../core/test/support/engines.ts';
import { Barrier, CountdownLatch } from '../src/index.ts';
import './support/kinds.ts';

for (const engine of ['wasm', 'js'] as const) {
  asyncWaitSuite(`CountdownLatch (${engine})`, () => {
    const latch = CountdownLatch.create(1, { arena: Arena.create({ engine: engineNamed(engine), maxPages: 16 }) });
    // The suite grants one wait at a time. A wait that is admitted begins the next round.
    const wait = async (options?: WaitOptions): Promise<void> => {
      await latch.waitAsync(options);
      latch.add();
    };
    return { wait, grant: () => latch.done() };
  });

  // A wait that times out or is aborted breaks its barrier for all parties. So each wait has a barrier of two parties,
  // and `grant` arrives as the other party.
  asyncWaitSuite(`Barrier (${engine})`, () => {
    const arena = Arena.create({ engine: engineNamed(engine), maxPages: 16 });
    const waits: Barrier[] = [];
    let granted = 0;
    const wait = async (options?: WaitOptions): Promise<void> => {
      const barrier = Barrier.create(granted > 0 ? 1 : 2, { arena });
      granted = Math.max(0, granted - 1);
      waits.push(barrier);
      await barrier.waitAsync(options).finally(() => waits.splice(waits.indexOf(barrier), 1));
    };
    const grant = (): void => {
      if (waits.shift()?.tryWait() === undefined) granted += 1;
    };
    return { wait, grant };
  });
}
