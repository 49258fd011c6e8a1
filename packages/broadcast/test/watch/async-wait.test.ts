import { asyncWaitSuite } from '@sluice/conformance';
import { Arena, type WaitOptions } from '@sluice/core';
import { engineNamed } from '../../../core/test/support/engines.ts';
import { WatchCell } from '../../src/index.ts';
import './support/kinds.ts';

for (const engine of ['wasm', 'js'] as const) {
  asyncWaitSuite(`WatchCell (${engine})`, () => {
    const cell = WatchCell.create(0, {
      arena: Arena.create({ engine: engineNamed(engine), maxPages: 16 }),
      codec: 'int32',
    });
    cell.get();
    // The suite grants one wait at a time. A wait that is admitted reads the value.
    const wait = async (options?: WaitOptions): Promise<void> => {
      await cell.changedAsync(options);
    };
    return { wait, grant: () => void WatchCell.from(cell.handle).set(1) };
  });
}
