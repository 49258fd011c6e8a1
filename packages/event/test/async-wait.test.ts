import { asyncWaitSuite } from '@sluice/conformance';
import { Arena, type WaitOptions } from '@sluice/core';
import { engineNamed } from '../../core/test/support/engines.ts';
import { ManualResetEvent } from '../src/index.ts';
import './support/kinds.ts';

for (const engine of ['wasm', 'js'] as const) {
  asyncWaitSuite(`ManualResetEvent (${engine})`, () => {
    const event = ManualResetEvent.create({ arena: Arena.create({ engine: engineNamed(engine), maxPages: 16 }) });
    // The suite grants one wait at a time: a wait that is admitted resets the event.
    const wait = async (options?: WaitOptions): Promise<void> => {
      await event.waitAsync(options);
      event.reset();
    };
    return { wait, grant: () => event.set() };
  });
}
