import { asyncWaitSuite } from '@sluice/conformance';
import { Arena } from '@sluice/core';
import {
  addressSignal,
  addressWaitUntilAsync,
  keyMonitor,
  keySignal,
  keyWaitAsync,
  parkAsync,
  SharedWord,
  unpark,
  waitOnAddressAsync,
  wakeByAddressAll,
} from '../src/index.ts';

const create = (): SharedWord => SharedWord.create(0, { arena: Arena.create({ maxPages: 16 }) });

asyncWaitSuite('addressWaitUntilAsync', () => {
  const word = create();
  const take = (): boolean => word.compareExchange(1, 0) === 1;
  return {
    wait: (options) => addressWaitUntilAsync(word, take, options),
    grant: () => {
      word.store(1);
      addressSignal(word);
    },
  };
});

asyncWaitSuite('waitOnAddressAsync', () => {
  const word = create();
  return {
    wait: async (options) => {
      await waitOnAddressAsync(word, 0, options);
      word.store(0);
    },
    grant: () => {
      word.store(1);
      wakeByAddressAll(word);
    },
  };
});

asyncWaitSuite('keyWaitAsync', () => {
  const word = create();
  let seen = keyMonitor(word);
  return {
    wait: async (options) => {
      await keyWaitAsync(word, seen, options);
      seen = keyMonitor(word);
    },
    grant: () => keySignal(word),
  };
});

asyncWaitSuite('parkAsync', () => {
  const arena = Arena.create({ maxPages: 16 });
  return {
    wait: (options) => parkAsync(arena, options),
    grant: () => {
      unpark(arena, arena.agentId);
    },
  };
});
