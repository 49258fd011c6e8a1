import { asyncWaitSuite } from '../../../tools/conformance/src/index.ts';
import { Arena, Semaphore } from '@sluice/core';
import { createLimit } from '../src/index.ts';

const forever = new Promise<never>(() => undefined);

asyncWaitSuite('limit.run', () => {
  const sem = Semaphore.create(0, { arena: Arena.create({ maxPages: 16 }) });
  const limit = createLimit(sem);
  return {
    wait: (options) =>
      new Promise<void>((resolve, reject) => {
        const begun = (): Promise<never> => {
          resolve();
          return forever;
        };
        limit.run(begun, options).catch(reject);
      }),
    grant: () => sem.release(),
  };
});
