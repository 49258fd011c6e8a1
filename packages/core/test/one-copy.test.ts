import { expect, test } from 'vitest';
import { runChild } from './support/child.ts';

test('import and require in one thread load one copy', async () => {
  expect(await runChild('one-copy.mjs')).toEqual({ code: 0, printed: 'one copy' });
});
