import { asyncWaitSuite } from '@sluice/conformance';
import { Arena } from '@sluice/core';
import { engineNamed } from '../../core/test/support/engines.ts';
import { Broadcast } from '../src/index.ts';
import './support/kinds.ts';

for (const engine of ['wasm', 'js'] as const) {
  asyncWaitSuite(`Subscription (${engine})`, () => {
    const stream = Broadcast.create({
      arena: Arena.create({ engine: engineNamed(engine), maxPages: 16 }),
      codec: 'int32',
    });
    const subscription = stream.subscribe();
    return { wait: (options) => subscription.nextAsync(options), grant: () => stream.publish(1) };
  });

  asyncWaitSuite(
    `Broadcast with overflow 'wait' (${engine})`,
    () => {
      const stream = Broadcast.create({
        arena: Arena.create({ engine: engineNamed(engine), maxPages: 16 }),
        codec: 'int32',
        capacity: 1,
        overflow: 'wait',
      } as const);
      const subscription = stream.subscribe();
      stream.publish(0);
      return { wait: (options) => stream.publishAsync(1, options), grant: () => void subscription.next() };
    },
    { staged: true },
  );
}
