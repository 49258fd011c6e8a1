// Tests which frames of a stack are those of the program, on every engine and layout of packages.

import { expect, test } from 'vitest';
import { placeText, programFrames } from '../src/observe/call-place.ts';

const INSTALLED = '/app/node_modules';

test.each([
  [
    'V8, installed packages',
    [
      'Error',
      `    at callers (file://${INSTALLED}/@sluice/inspect/dist/index.js:1:1)`,
      `    at Mutex.lock (file://${INSTALLED}/@sluice/mutex/dist/index.js:80:7)`,
      '    at resize (file:///app/worker.mjs:12:9)',
      '    at file:///app/worker.mjs:30:1',
      '    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
    ],
    [
      { file: '/app/worker.mjs', line: 12, within: 'resize' },
      { file: '/app/worker.mjs', line: 30, within: '' },
    ],
  ],
  [
    'V8, one folder of the package manager for each package, on Windows',
    [
      'Error',
      String.raw`    at callers (C:\app\node_modules\.pnpm\a\node_modules\@sluice\inspect\dist\index.cjs:1:1)`,
      String.raw`    at run (C:\app\node_modules\.pnpm\b\node_modules\@sluice\core\dist\index.cjs:80:7)`,
      String.raw`    at async Worker.work (C:\app\worker.cjs:5:3)`,
    ],
    [{ file: String.raw`C:\app\worker.cjs`, line: 5, within: 'Worker.work' }],
  ],
  [
    'SpiderMonkey and JavaScriptCore',
    [
      'callers@http://host/node_modules/@sluice/inspect/dist/index.js:1:1',
      'lock@http://host/node_modules/@sluice/mutex/dist/index.js:80:7',
      'resize@http://host/worker.mjs:12:9',
      '@http://host/worker.mjs:30:1',
    ],
    [
      { file: 'http://host/worker.mjs', line: 12, within: 'resize' },
      { file: 'http://host/worker.mjs', line: 30, within: '' },
    ],
  ],
  [
    'a bundle, in which the program and the library are one file',
    ['Error', '    at callers (/app/bundle.js:1:1)', '    at resize (/app/bundle.js:12:9)'],
    [],
  ],
  ['no stack', [''], []],
])('%s', (_, stack, expected) => {
  expect(programFrames(stack.join('\n'))).toEqual(expected);
});

test('a place is a file and a line', () => {
  expect(placeText({ file: '/app/worker.mjs', line: 12, within: 'resize' })).toBe('worker.mjs:12');
  expect(placeText({ file: String.raw`C:\app\worker.mjs`, line: 12, within: '' }, true)).toBe(
    String.raw`C:\app\worker.mjs:12`,
  );
  expect(placeText({ file: '', line: 0, within: '' })).toBe('unknown place');
});
