// The command prints the report of a dump, and ends with an error for what is none.

import { Arena, Semaphore } from '@sluice/core';
import { dumpArena } from '@sluice/inspect';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Child } from './support/child.ts';

const COMMAND = fileURLToPath(new URL('../dist/sluice-inspect.js', import.meta.url));

let folder: string;
const children: Child[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-dumps-'));
});

afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.kill()));
  rmSync(folder, { recursive: true });
});

function command(...options: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...options], (failure, stdout, stderr) => {
      resolve({ code: Number(failure?.code ?? 0), stdout, stderr });
    });
  });
}

function dumpIn(name: string): string {
  const arena = Arena.create({ maxPages: 4 });
  Semaphore.create(1, { arena, name: 'permits' }).acquire();
  const file = join(folder, name);
  writeFileSync(file, dumpArena(arena));
  return file;
}

test('the command prints the report', async () => {
  const { code, stdout, stderr } = await command(dumpIn('arena.dump'), '--lines=5');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Dump of \d{4}-.+\n\nNothing looks wrong/);
  expect(stdout).toContain("semaphore 'permits': held by agent 1 (");
});

test.each([
  ['no dump', 'package.json', 'The dump cannot be read: it does not begin as a dump does.'],
  ['no file', 'nothing', 'ENOENT'],
])('%s leads to an error', async (_, name, text) => {
  const { code, stdout, stderr } = await command(fileURLToPath(new URL(`../${name}`, import.meta.url)));
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(text);
});

test.each([[[]], [['a', 'b']], [['--lines=x', 'a']], [['--other', 'a']]])(
  '%j shows how it is used',
  async (options) => {
    const { code, stderr } = await command(...options);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Usage: npx @sluice\/inspect /);
  },
);

test('--help shows how it is used', async () => {
  expect(await command('--help')).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(/^Usage/) as string,
  });
});

test('with SLUICE_DUMP, the watchdog writes a dump with each report, also while the main thread blocks', async () => {
  const child = new Child('blocks.mjs', '0.05', undefined, [], 'SLUICE_WATCHDOG', { SLUICE_DUMP: folder });
  children.push(child);
  await child.says(/^Dump: .+\.dump$/m);
  const [file = ''] = readdirSync(folder);
  expect(file).toMatch(/^sluice-\d+-[0-9a-f]{16}-1\.dump$/);
  const { code, stdout } = await command(join(folder, file));
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}agent 1 \(main thread\): blocks\.mjs, node, .*, alive, joined /m);
  expect(stdout).toMatch(/^ {2}semaphore 'jobs': blocking wait, for \d+ ms: agent 1 \(main thread\)$/m);
});

test('a folder that is not there is told with the report', async () => {
  const missing = join(folder, 'missing');
  const child = new Child('blocks.mjs', '0.05', undefined, [], 'SLUICE_WATCHDOG', { SLUICE_DUMP: missing });
  children.push(child);
  await child.says(/^No dump: ENOENT/m);
});
