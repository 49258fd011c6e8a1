#!/usr/bin/env node
// @ts-check
// Checks the tarball that would be published: manifest and files (publint), types with each module resolution that
// reads `exports` (attw), exact versions of dependencies of this family, and size.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execPath } from 'node:process';
import { pnpm } from '../../../scripts/pnpm.mjs';
import { workspacePackages } from '../../../scripts/workspace.mjs';
import { pageProblems } from './page-files.mjs';
import { report } from './report.mjs';
import { lintTarball } from './tarball.mjs';

const attwManifest = createRequire(import.meta.url).resolve('@arethetypeswrong/cli/package.json');
const attw = join(dirname(attwManifest), 'dist', 'index.js');

/** The maximum number of bytes of each tarball. */
const MAX_BYTES = new Map([
  ['sluice', 312_000], // most of it is sluice.js
  ['@sluice/core', 266_000], // the goal is 150_000
  ['@sluice/classics', 132_000], // five locks and eight semaphores
  ['@sluice/semaphores', 72_000],
  ['@sluice/remote', 115_000], // with the steps in TypeScript
  ['@sluice/redis', 42_000],
  ['@sluice/postgres', 33_000],
  ['@sluice/worker-pool', 115_000],
  ['@sluice/bounded-buffer', 96_000], // with streams and selections
  ['@sluice/capacitor', 71_000],
  ['@sluice/named', 88_500],
  ['@sluice/broadcast', 74_000],
  ['@sluice/rw-lock', 57_000],
  ['@sluice/barrier', 51_000],
  ['@sluice/event', 39_500],
  ['@sluice/cache', 45_000],
  ['@sluice/inspect', 206_000], // with the order of locks, lints, statistics, dumps, and the threads of the watchdog and of `why`
  ['@sluice/mutex', 52_000],
  ['@sluice/limit', 129_000], // with intervals, task queues and adaptive limits
]);
const MAX_BYTES_OF_OTHERS = 31_000;
const PAGE_FILES = ['./sluice.js', './sluice-js.js'];

/**
 * @param {import('../../../scripts/workspace.mjs').WorkspacePackage} workspacePackage
 * @param {string} scratch
 * @returns {Promise<string[]>}
 */
async function problemsOf({ directory, manifest }, scratch) {
  const packed = pnpm(['--dir', directory, 'pack', '--pack-destination', scratch], 'capture');
  const name = readdirSync(scratch).find((file) => file.endsWith('.tgz'));
  if (packed.status !== 0 || name === undefined) return [`${manifest.name}: pnpm pack failed\n${packed.output}`];
  const tarball = join(scratch, name);

  const { bytes, problems: messages } = await lintTarball(manifest.name, tarball);
  messages.push(...pageProblems(directory));
  const most = MAX_BYTES.get(manifest.name) ?? MAX_BYTES_OF_OTHERS;
  if (bytes > most) messages.push(`${manifest.name}: the tarball has ${bytes} bytes, ${bytes - most} above ${most}`);
  sizes.push(`${manifest.name} ${bytes}`);

  // A page loads them by their URLs: they have one form, an ES module.
  const pageFiles = PAGE_FILES.filter((file) => file in (manifest.exports ?? {}));
  const without = pageFiles.length > 0 ? ['--exclude-entrypoints', ...pageFiles] : [];
  const types = spawnSync(execPath, [attw, tarball, '--profile', 'node16', '--no-emoji', '--no-color', ...without], {
    encoding: 'utf8',
  });
  return types.status === 0 ? messages : [...messages, `${manifest.name}: ${types.stdout}${types.stderr}`];
}

/** @type {string[]} */
const sizes = [];
const published = workspacePackages(['packages']).filter(({ manifest }) => manifest.private !== true);
/** @type {string[]} */
const problems = [];
for (const workspacePackage of published) {
  const scratch = mkdtempSync(join(tmpdir(), 'sluice-pack-'));
  try {
    problems.push(...(await problemsOf(workspacePackage, scratch)));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

report(`publish: ${published.length} packages. Bytes: ${sizes.join(', ')}`, problems);
