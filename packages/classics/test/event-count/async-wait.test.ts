import { asyncWaitSuite } from '@sluice/conformance';
import { Arena, type WaitOptions } from '@sluice/core';
import { engineNamed } from '../../../core/test/support/engines.ts';
import { EventCount } from '../../src/index.ts';
import './support/kinds.ts';

for (const engine of ['wasm', 'js'] as const) {
  asyncWaitSuite(`EventCount (${engine})`, () => {
    const event = EventCount.create({ arena: Arena.create({ engine: engineNamed(engine), maxPages: 16 }) });
    // The suite grants one wait at a time: each waits for the next value.
    let next = 1;
    const wait = async (options?: WaitOptions): Promise<void> => {
      await event.awaitAsync(next, options);
      next += 1;
    };
    return { wait, grant: () => event.advance() };
  });
}
