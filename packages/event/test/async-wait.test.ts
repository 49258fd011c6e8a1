import { asyncWaitSuite } from '@sluice/conformance';
import { Arena, type WaitOptions } from '@sluice/core';
import { engineNamed } from '../../core/test/support/engines.ts';
import { ManualResetEvent, Once } from '../src/index.ts';
import './support/kinds.ts';

for (const engine of ['wasm', 'js'] as const) {
  asyncWaitSuite(`ManualResetEvent (${engine})`, () => {
    const event = ManualResetEvent.create({ arena: Arena.create({ engine: engineNamed(engine), maxPages: 16 }) });
    // The suite grants one wait at a time. A wait that is admitted resets the event.
    const wait = async (options?: WaitOptions): Promise<void> => {
      await event.waitAsync(options);
      event.reset();
    };
    return { wait, grant: () => event.set() };
  });
}

for (const engine of ['wasm', 'js'] as const) {
  // A completed once admits every later wait.
  const options = { reentrant: true };
  const create = (): Once => Once.create({ arena: Arena.create({ engine: engineNamed(engine), maxPages: 16 }) });
  asyncWaitSuite(
    `Once (${engine})`,
    () => {
      const once = create();
      return { wait: (given?: WaitOptions) => once.waitAsync(given), grant: () => once.run(() => undefined) };
    },
    options,
  );
  asyncWaitSuite(
    `Once.runAsync while an initialiser runs (${engine})`,
    () => {
      const once = create();
      let end = (): void => undefined;
      const run = once.runAsync(() => new Promise<void>((resolve) => (end = resolve)));
      const grant = async (): Promise<void> => {
        end();
        await run;
      };
      return { wait: (given?: WaitOptions) => once.runAsync(() => undefined, given), grant };
    },
    options,
  );
}
