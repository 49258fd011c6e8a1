import { Arena } from '@sluice/core';
import { expect, test } from 'vitest';
import { openAs, secondAgent } from '../../core/test/support/second-agent.ts';
import { Broadcast } from '../src/index.ts';

test.each(['lag', 'wait'] as const)(
  'a subscription ends when its agent leaves the arena (%s), and publishers continue',
  (overflow) => {
    const arena = Arena.create({ maxPages: 8 });
    const broadcast = Broadcast.create<number>({ arena, codec: 'int32', capacity: 2, overflow });
    const subscriber = secondAgent(arena);
    const subscription = openAs(subscriber, broadcast.handle, (handle) => Broadcast.from<number>(handle)).subscribe();
    subscriber.leave();
    for (let value = 0; value < 5; value++) expect(broadcast.tryPublish(value)).toBe(true);
    expect(() => subscription.next()).toThrow('has left the arena');
    subscription.close();
    expect(broadcast.inspect().subscriptions).toEqual([]);
  },
);
