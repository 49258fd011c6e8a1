import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findFiles, parseFile, type Scope } from '../src/files.mjs';
import { readOptions } from '../src/options.mjs';
import { failuresOf, fileLine, totalLine } from '../src/report.mjs';
import { isGood, runIn, type Result } from '../src/run.mjs';

const FROM = fileURLToPath(new URL('./web/cases', import.meta.url));
const SCOPES: readonly Scope[] = ['window', 'worker'];

const run = (name: string, scope: Scope, seconds = 60): Promise<Result> =>
  runIn(name, scope, { from: FROM, locks: 'sluice', seconds });
const statusesOf = ({ subtests }: Result): string[] => subtests.map(({ name, status }) => `${name}: ${status}`).sort();

test('test files are found, and helpers are not', () => {
  expect(findFiles(FROM)).toEqual([
    'crashes.window.js',
    'fails.any.js',
    'hangs.any.js',
    'lacks.any.js',
    'page.html',
    'passes.any.js',
    'rejects.any.js',
  ]);
});

test('a file says where it runs and what it loads', () => {
  const source =
    '// META: title=T\n// META: script=a.js\n// META: script=/b.js\n// META: global=window,worker\ncode();\n// META: script=late.js\n';
  expect(parseFile('x.any.js', source)).toEqual({
    scopes: ['window', 'worker'],
    scripts: [{ url: 'a.js' }, { url: '/b.js' }, { text: source }],
  });
  expect(parseFile('x.any.js', 'code();').scopes).toEqual(['window', 'worker']);
  expect(parseFile('x.any.js', '// META: global=serviceworker,dedicatedworker\n').scopes).toEqual(['worker']);
  expect(parseFile('x.any.js', '// META: global=serviceworker\n').scopes).toEqual([]);
  expect(parseFile('x.window.js', 'code();').scopes).toEqual(['window']);
  const page =
    '<script src="/resources/testharness.js"></script><script src=a.js></script>\n<script type="x">\none();\n</script>';
  expect(parseFile('x.html', page)).toEqual({ scopes: ['window'], scripts: [{ url: 'a.js' }, { text: '\none();\n' }] });
});

test.each(SCOPES)('what passes in a %s passes', async (scope) => {
  const result = await run('passes.any.js', scope);
  expect(failuresOf(result)).toEqual({ known: [], unknown: [] });
  expect([isGood(result), result.subtests.length]).toEqual([true, 5]);
});

test.each(SCOPES)('each subtest that fails in a %s is found', async (scope) => {
  const result = await run('fails.any.js', scope);
  expect(statusesOf(result)).toEqual([
    'an assertion fails later: fail',
    'an assertion fails: fail',
    'another error: fail',
    'no rejection: fail',
    'passes: pass',
  ]);
  expect([isGood(result), failuresOf(result).unknown.length]).toEqual([false, 4]);
  expect(fileLine('fails.any.js', [result])).toContain(`${scope} 1 of 5`);
  expect(totalLine([result])).toBe('1 passed, 4 failed');
  const known = {
    ...result,
    name: 'idlharness.https.any.js',
    subtests: [{ name: 'Stringification of navigator.locks', status: 'fail' as const, message: '' }],
  };
  expect([failuresOf(known).unknown, totalLine([result, known])]).toEqual([
    [],
    '1 passed, 4 failed, 1 not expected to pass',
  ]);
});

test.each(SCOPES)('a rejection in a %s that no test handles is an error of the file', async (scope) => {
  const result = await run('rejects.any.js', scope);
  expect([result.end.status, isGood(result)]).toEqual(['error', false]);
  expect(result.end.message).toContain('without a handler');
});

test('a script that is not there is an error of the file', async () => {
  const { end, subtests } = await run('lacks.any.js', 'window');
  expect([end.status, subtests]).toEqual(['error', []]);
  expect(end.message).toContain('/cases/resources/absent.js is not there');
});

test('a file that does not end times out', async () => {
  const result = await run('hangs.any.js', 'worker', 2);
  expect([result.end.status, isGood(result)]).toEqual(['timeout', false]);
});

test('a process that ends before its tests is a crash', async () => {
  const result = await run('crashes.window.js', 'window');
  expect([result.end, isGood(result)]).toEqual([
    { status: 'crash', message: 'The process ended with SIGKILL.' },
    false,
  ]);
});

test('the scripts of a page run', async () => {
  expect(statusesOf(await run('page.html', 'window'))).toEqual(['a script in a page: pass']);
});

test('wrong options are refused', () => {
  expect(readOptions(['--from', FROM, 'held'])).toMatchObject({
    from: FROM,
    locks: 'sluice',
    names: ['held'],
    seconds: 60,
  });
  expect(readOptions(['--help']).help).toBe(true);
  expect(() => readOptions([])).toThrow('--from is missing');
  expect(() => readOptions(['--from', `${FROM}/absent`])).toThrow('--from must be a folder');
  expect(() => readOptions(['--from', FROM, '--locks', 'web'])).toThrow('--locks must be sluice or node: received web');
  expect(() => readOptions(['--from', FROM, '--seconds', '0'])).toThrow(
    '--seconds must be a number from 1 to 3600: received 0',
  );
});
