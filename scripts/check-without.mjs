#!/usr/bin/env node
// @ts-check
// Runs `npm test` in a copy of the repository without some packages and without everything that depends on them:
//   node scripts/check-without.mjs rw-lock classics semaphores
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { argv, execPath, exit, stderr, stdout } from 'node:process';
import { FACADE, root, workspacePackages } from './workspace.mjs';

const named = argv.slice(2).map((name) => (name === FACADE ? name : `@sluice/${name}`));
const known = workspacePackages();
const unknown = named.filter((name) => !known.some(({ manifest }) => manifest.name === name));
if (named.length === 0 || unknown.length > 0 || named.includes('@sluice/core')) {
  stderr.write(
    `Name packages of this repository other than core, for example: npm run check:without -- rw-lock classics${unknown.length > 0 ? ` (unknown: ${unknown.join(', ')})` : ''}\n`,
  );
  exit(1);
}

/** @param {import('./workspace.mjs').Manifest} manifest */
const needs = ({ dependencies, devDependencies, peerDependencies, optionalDependencies }) =>
  Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies, ...optionalDependencies });

const removed = new Set(named);
for (let before = 0; before !== removed.size; ) {
  before = removed.size;
  for (const { manifest } of known) if (needs(manifest).some((name) => removed.has(name))) removed.add(manifest.name);
}
const folders = known
  .filter(({ manifest }) => removed.has(manifest.name))
  .map(({ directory }) => relative(root, directory));
stdout.write(`without ${folders.join(', ')}\n`);

const copy = mkdtempSync(join(tmpdir(), 'sluice-without-'));
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
}).split('\n');
for (const file of files) {
  if (file === '' || folders.some((folder) => file.startsWith(`${folder}/`)) || !existsSync(join(root, file))) continue;
  mkdirSync(join(copy, dirname(file)), { recursive: true });
  cpSync(join(root, file), join(copy, file));
}
const { status } = spawnSync(execPath, ['scripts/test.mjs', '--no-docs'], { cwd: copy, stdio: 'inherit' });
rmSync(copy, { recursive: true, force: true });
exit(status ?? 1);
