import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { argumentSuite, runProgram, type Finished, type ProgramOptions } from '../../../tools/harness/src/program.ts';
import { logTexts } from '../src/make-log.mjs';
import { readBlocks } from '../src/read-blocks.mjs';
import { findLosses, tallyOf } from '../src/tally.mjs';

const main = fileURLToPath(new URL('../src/main.mjs', import.meta.url));
const THREADS_MS = 60_000;

let directory = '';

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-pipeline-'));
});

afterAll(() => rmSync(directory, { recursive: true }));

const start = (args: readonly string[], onOutput?: ProgramOptions['onOutput']): Promise<Finished> => runProgram(main, args, onOutput && { onOutput });

function makeFile(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content, 'latin1');
  return path;
}

function request(path: string, rest = '200 10'): string {
  return `10.0.0.1 - - [03/Mar/2025:00:00:00 +0000] "GET ${path} HTTP/1.1" ${rest}`;
}

/** Numbers of the one row that matches. */
function numbersIn(stdout: string, row: RegExp): number[] {
  return (row.exec(stdout) ?? []).slice(1).map(Number);
}

describe('the pipeline', () => {
  test('finds in a generated log what one thread finds', { timeout: THREADS_MS }, async () => {
    const { code, stdout, stderr } = await start(['--size', '2', '--parsers', '3', '--block', '8', '--rounds', '2']);

    expect(stderr).toBe('');
    const [lines] = numbersIn(stdout, /^log .* (\d+) lines$/m);
    const [requests = 0, others = 0] = numbersIn(stdout, /^requests +(\d+), and (\d+) lines/m);
    expect(requests + others).toBe(lines);
    const blocks = numbersIn(stdout, /^parsers +took (\d+), (\d+), (\d+) blocks$/m);
    expect(blocks.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(256);
    expect(stdout).toMatch(/^pipeline +[\d.]+ s, \d+ MB\/s, [\d.]+ M lines\/s, best of 2/m);
    expect(stdout).toMatch(/^one thread +[\d.]+ s, \d+ MB\/s, [\d.]+ M lines\/s, best of 2$/m);
    expect(stdout).toMatch(/^check +the same as by one thread, every line counted: ok$/m);
    expect(code).toBe(0);
  });

  test('reads any given file', { timeout: THREADS_MS }, async () => {
    const odd = request('/__proto__', '500 7 "-" "curl"');
    const lines = [request('/a?q=1'), '', request('/a', '304 -'), odd, '\u0000\u00ff', request('/a')];
    const path = makeFile('yours.log', lines.join('\r\n'));

    const { code, stdout, stderr } = await start(['--file', path, '--rounds', '1', '--parsers', '1', '--buffer', '1']);

    expect(stderr).toBe('');
    expect(stdout).toMatch(/^requests +4, and 2 lines that are not requests; 0\.0 MB sent$/m);
    expect(stdout).toMatch(/^statuses +200: 2, 304: 1, 500: 1$/m);
    expect(stdout).toMatch(/^paths +2, most often:\n +3 {2}\/a\n +1 {2}\/__proto__$/m);
    expect(stdout).toMatch(/every line counted: ok$/m);
    expect(code).toBe(0);
  });

  test('an empty file is no failure', { timeout: THREADS_MS }, async () => {
    const { code, stdout } = await start(['--file', makeFile('empty.log', ''), '--rounds', '1']);

    expect(stdout).toMatch(/^requests +0, and 0 lines/m);
    expect(stdout).toMatch(/: ok$/m);
    expect(code).toBe(0);
  });

  // Windows has no signals to send.
  test.skipIf(platform === 'win32')('Ctrl-C stops the reader: what was read is told', { timeout: THREADS_MS }, async () => {
    const lines = `${request('/')}\n`.repeat(10_000);
    const path = makeFile('long.log', lines.repeat(100));
    let interrupted = false;

    const { code, stdout, stderr } = await start(['--file', path], (printed, kill) => {
      const begun = printed.includes('wait for a parser');
      if (!interrupted && begun) kill('SIGINT');
      interrupted ||= begun;
    });

    const [parsed = 0, all] = numbersIn(stdout, /^interrupted .* (\d+) of (\d+) lines; so far:$/m);
    expect(all).toBe(1_000_000);
    expect(parsed).toBeLessThan(1_000_000);
    expect(stdout).toMatch(new RegExp(`^requests +${parsed}, and 0 lines`, 'm'));
    expect(stdout).not.toContain('LOST');
    expect(stderr).toBe('');
    expect(code).toBe(130);
  });
});

describe('arguments', () => {
  argumentSuite(main, 'Usage: node src/main.mjs [options]', [
    [['--size', '0'], '--size must be a whole number from 1 to 4096: received "0"'],
    [['--parsers', '1.5'], '--parsers must be a whole number from 1 to 64: received "1.5"'],
    [['--block', '2'], '--block must be a whole number from 4 to 1024: received "2"'],
    [['--buffer', 'all'], '--buffer must be a whole number from 1 to 64: received "all"'],
    [['--rounds', ''], '--rounds must be a whole number from 1 to 20: received ""'],
    [['--size', '1', '--file', main], 'Either --file or --size: received both'],
    [['--file', join(tmpdir(), 'sluice-no-such-file')], 'sluice-no-such-file does not exist'],
    [['--file', tmpdir()], 'is not a file'],
    [['--nonsense'], "Unknown option '--nonsense'"],
  ]);

  test('a line longer than a block is reported', async () => {
    const path = makeFile('wide.log', `${request('/')}\n${'x'.repeat(5000)}\n`);

    const { code, stderr } = await start(['--file', path, '--block', '4']);

    expect(stderr).toContain('has a line of 5001 bytes, line 2: more than a block, see --block');
    expect(code).toBe(2);
  });
});

describe('the parts', () => {
  test('the generated log is always the same, and has the requested length', () => {
    const [text = '', again] = [0, 1].map(() => [...logTexts(300_000)].join(''));

    expect(again).toBe(text);
    expect(text.length).toBeGreaterThan(299_000);
    expect(text.length).toBeLessThanOrEqual(300_000);
    expect(text.endsWith('\n')).toBe(true);
  });

  test.each([8, 9, 16, 100])('blocks of %i bytes are whole lines, and all of the file', (blockBytes) => {
    const content = 'one\ntwo two\n\nthree\n\n\nfour fo\nlast';
    const path = makeFile('blocks', content);

    const blocks = Array.from(readBlocks(path, content.length, blockBytes), String);

    expect(blocks.join('')).toBe(content);
    expect(blocks.slice(0, -1).every((block) => block.endsWith('\n') && block.length <= blockBytes)).toBe(true);
  });

  test('a lost, a doubled and a changed line are found', () => {
    const whole = tallyOf(Buffer.from(`${request('/a')}\n${request('/b')}\n`));
    const half = tallyOf(Buffer.from(`${request('/a')}\n`));
    const turned = tallyOf(Buffer.from(`${request('/b')}\n${request('/a')}\n`));
    const changed = tallyOf(Buffer.from(`${request('/a')}\n${request('/c')}\n`));

    expect(findLosses(2, [turned, whole])).toEqual([]);
    expect(findLosses(2, [half, whole])).toEqual(['1 of 2 lines were parsed in pass 1']);
    expect(findLosses(1, [whole])).toEqual(['2 of 1 lines were parsed in pass 1']);
    expect(findLosses(2, [changed, whole])).toEqual([expect.stringContaining('pass 1 differs from the pass on one thread')]);
  });
});
