import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { SHORT_RUN, unknownTests } from '../../../scripts/depth.mjs';
import { LONG_TESTS } from '../../../scripts/long-tests.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const FILE = 'tools/checks/test/depth.test.ts';

describe('a list of long tests', () => {
  test('fails the run when a test that it names does not exist', () => {
    const tests = [
      { file: FILE, begin: 'a model: ', names: ['two agents', 'three agents'] },
      { file: FILE, names: ['no queue'] },
    ];
    const met = ['a model: two agents', 'another model: three agents', 'a storm with no queue at all'];
    expect(unknownTests(root, new Map([[FILE, met]]), tests)).toEqual([`${FILE}: no test 'a model: three agents'`, `${FILE}: no test '…no queue'`]);
  });

  test('fails the run when a file is gone, but not when its package is', () => {
    const files = [FILE, 'tools/checks/test/gone.test.ts', 'packages/gone/test/gone.test.ts'];
    expect(unknownTests(root, new Map(), files.map((file) => ({ file, names: ['a test'] })))).toEqual(['tools/checks/test/gone.test.ts: there is no such file']);
  });
});

test('a short run leaves out exactly the listed tests', () => {
  for (const { begin = 'a test ', names } of LONG_TESTS) {
    for (const name of names) {
      expect(SHORT_RUN.test(begin + name)).toBe(false);
      expect(SHORT_RUN.test(`${begin}${name} twice`)).toBe(true);
    }
  }
});
