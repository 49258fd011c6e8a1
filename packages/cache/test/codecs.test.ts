// Codecs of other packages fit.

import { expect, test } from 'vitest';
import { msgpack } from '../../bounded-buffer/src/msgpack.ts';
import { pairOf } from './support/agents.ts';

test('msgpack() of @sluice/bounded-buffer is a codec of a cache', async () => {
  const { ours, theirs } = pairOf<Map<string, Date>>({ codec: msgpack<Map<string, Date>>() });
  const value = new Map([['began', new Date(17)]]);
  expect(await ours.getAsync('k', () => value)).toEqual(value);
  expect(theirs.peek('k')).toEqual(value);
});
