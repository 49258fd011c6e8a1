import { asyncWaitSuite } from '../../../tools/conformance/src/index.ts';
import { Arena } from '@sluice/core';
import { BoundedBuffer } from '../src/index.ts';

asyncWaitSuite('BoundedBuffer.popAsync', () => {
  const buffer = BoundedBuffer.create({ capacity: 4, arena: Arena.create({ maxPages: 16 }) });
  return { wait: (options) => buffer.popAsync(options), grant: () => buffer.push(1) };
});

asyncWaitSuite('BoundedBuffer.pushAsync', () => {
  const buffer = BoundedBuffer.create({ capacity: 1, arena: Arena.create({ maxPages: 16 }) });
  buffer.push(1);
  return { wait: (options) => buffer.pushAsync(2, options), grant: () => void buffer.pop() };
});

asyncWaitSuite('BoundedBuffer.popManyAsync', () => {
  const buffer = BoundedBuffer.create({ capacity: 4, arena: Arena.create({ maxPages: 16 }) });
  return { wait: (options) => buffer.popManyAsync(1, options), grant: () => buffer.push(1) };
});

asyncWaitSuite('BoundedBuffer.pushManyAsync', () => {
  const buffer = BoundedBuffer.create({ capacity: 1, arena: Arena.create({ maxPages: 16 }) });
  buffer.push(1);
  return { wait: (options) => buffer.pushManyAsync([2], options), grant: () => void buffer.pop() };
});
