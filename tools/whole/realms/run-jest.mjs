#!/usr/bin/env node
// @ts-check
// Runs the scenarios in Jest, in its environments for Node.js and jsdom, on the built packages. Installs Jest into
// .cache the first time; needs the network.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process, { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';

const JEST = { jest: '30.5.2', 'jest-environment-jsdom': '30.5.2' };
const FILES = ['scenarios.cjs', 'jest.cjs', 'tasks.mjs'];

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
const home = join(root, '.cache', 'jest');

function install() {
  const stamp = join(home, 'installed');
  const wanted = JSON.stringify(JEST);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), JSON.stringify({ name: 'realms', private: true, dependencies: JEST }));
  const { status, stdout, stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: home,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`Jest could not be installed:\n${stdout}${stderr}`);
  writeFileSync(stamp, wanted);
}

install();
for (const name of readdirSync(join(root, 'packages')).filter((folder) =>
  existsSync(join(root, 'packages', folder, 'dist')),
)) {
  const target = join(home, 'node_modules', '@sluice', name);
  rmSync(target, { recursive: true, force: true });
  for (const part of ['dist', 'package.json'])
    cpSync(join(root, 'packages', name, part), join(target, part), { recursive: true });
}
for (const file of FILES) cpSync(join(here, file), join(home, file));
for (const environment of ['node', 'jsdom']) {
  const args = [
    join(home, 'node_modules/jest/bin/jest.js'),
    '--rootDir',
    home,
    `--env=${environment}`,
    '--testMatch',
    '**/jest.cjs',
    '--forceExit',
  ];
  const { status } = spawnSync(execPath, args, { cwd: home, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
