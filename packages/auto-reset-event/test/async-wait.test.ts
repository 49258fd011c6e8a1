import { asyncWaitSuite } from '@sluice/conformance';
import { Arena } from '@sluice/core';
import { AutoResetEvent } from '../src/index.ts';
import { engineNamed } from '../../core/test/support/engines.ts';
import './support/kinds.ts';

for (const engine of ['wasm', 'js'] as const) {
  asyncWaitSuite(`AutoResetEvent (${engine})`, () => {
    const event = AutoResetEvent.create({ arena: Arena.create({ engine: engineNamed(engine), maxPages: 16 }) });
    return { wait: (options) => event.waitAsync(options), grant: () => event.signal() };
  });
}
