#!/usr/bin/env node
// @ts-check
// Makes a fresh or changed checkout ready: installs if the manifests changed, builds the packages whose sources
// changed. Contents are compared, not times, so switching branches back and forth costs nothing.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { argv, execPath, exit, platform, stderr, stdout } from 'node:process';
import { pnpm } from './pnpm.mjs';
import { FACADE, fingerprint, kernelFolders, root, workspacePackages } from './workspace.mjs';

const forceBuild = argv.includes('--force-build');
const installStamp = join(root, 'node_modules', '.sluice-installed');

/** @typedef {{ status: number, output: string }} Ended */

/**
 * Runs one step quietly. Prints one line if it succeeded, and its whole output if it failed.
 * @param {string} what
 * @param {() => Ended | Promise<Ended>} run
 */
async function step(what, run) {
  stdout.write(`${what} ... `);
  const start = performance.now();
  const { status, output } = await run();
  if (status !== 0) {
    stdout.write('failed\n');
    stderr.write(`${output}\n`);
    exit(status);
  }
  stdout.write(`${((performance.now() - start) / 1000).toFixed(1)} s\n`);
}

/** @param {string} path */
const readIfThere = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

async function install() {
  const manifests = workspacePackages().map(({ directory }) => join(directory, 'package.json'));
  const wanted = fingerprint(
    ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((name) => join(root, name)).concat(manifests),
  );
  const present = existsSync(join(root, 'node_modules', '.modules.yaml')) && readIfThere(installStamp) === wanted;
  if (present) return;
  // pnpm would ask before it replaces modules that came from another store, and there may be no terminal.
  const noQuestions = '--config.confirm-modules-purge=false';
  await step('installing dependencies', () =>
    pnpm(['install', '--frozen-lockfile', '--prefer-offline', noQuestions], 'capture'),
  );
  // The start script uses `exec` so that no shell runs between npm and this script: a shell dies of Ctrl-C first, and
  // the exit code is lost. Windows has no `exec`.
  if (platform === 'win32') writeFileSync(join(root, 'node_modules', '.bin', 'exec.cmd'), '@%*\r\n');
  writeFileSync(installStamp, wanted);
}

/**
 * The kernels of the packages that a package depends on.
 * @param {string} directory
 */
function kernelsOf(directory) {
  const { dependencies = {} } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const names = Object.keys(dependencies).filter((name) => name.startsWith('@sluice/') && name !== '@sluice/core');
  return names
    .flatMap((name) => kernelFolders(join(root, 'packages', name.slice('@sluice/'.length))))
    .map((path) => relative(join(root, 'packages'), path));
}

/**
 * A hash of everything that a package's build reads.
 * @param {string} directory
 */
function inputs(directory) {
  const shared = [
    'tsup.base.ts',
    'tsconfig.base.json',
    'pnpm-lock.yaml',
    'scripts/declarations.mjs',
    'scripts/declarations',
    'scripts/built-entry.ts',
    'scripts/page-build.ts',
    'scripts/short-lines.ts',
  ].map((name) => join(root, name));
  const own = ['src', 'kernel', 'package.json', 'tsconfig.json', 'tsup.config.ts'].map((name) => join(directory, name));
  // A kind's kernel is compiled together with the core's sources and those of the packages that it imports.
  const imported = hasKernel(directory) ? ['core/src/kernel', 'core/kernel', ...kernelsOf(directory)] : [];
  return fingerprint([
    ...shared,
    ...own,
    ...[...imported, ...bundledBy(directory)].map((name) => join(root, 'packages', name)),
  ]);
}

/**
 * The sources of the packages that a package's build contains.
 * @param {string} directory
 */
function bundledBy(directory) {
  if (basename(directory) !== FACADE) return [];
  const { dependencies = {} } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  return Object.keys(dependencies).flatMap((name) =>
    ['src', 'tsup.config.ts'].map((part) => join(name.slice('@sluice/'.length), part)),
  );
}

/**
 * Changes whenever the output is made, removed or touched.
 * @param {string} directory
 */
function output(directory) {
  const file = join(directory, 'dist', 'index.js');
  return existsSync(file) ? String(statSync(file).mtimeMs) : 'missing';
}

/**
 * Generated sources are not inputs, but type checks and unit tests read them.
 * @param {string} directory
 */
const lacksGenerated = (directory) =>
  kernelFolders(directory).some((folder) => !existsSync(join(folder, 'wasm.generated.ts')));

/** @param {string} directory */
const stampOf = (directory) => join(root, '.cache', 'build', basename(directory));

const kernelBuilder = join(root, 'packages', 'core', 'kernel', 'build.mjs');

/** @param {string} directory */
const hasKernel = (directory) => kernelFolders(directory).length > 0;

/**
 * One process compiles several kernels in half the time of a process for each.
 * @param {string[]} directories
 * @returns {Promise<Ended>}
 */
function compile(directories) {
  return new Promise((resolve, reject) => {
    const child = spawn(execPath, [kernelBuilder, ...directories], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (output += String(chunk)));
    child.on('error', reject);
    child.on('close', (code) => resolve({ status: code ?? 1, output }));
  });
}

/**
 * In two processes. The core's kernel takes as long as three others.
 * @param {string[]} directories
 * @returns {Promise<Ended>}
 */
async function compileAll(directories) {
  const [core, others] = [
    directories.filter((path) => basename(path) === 'core'),
    directories.filter((path) => basename(path) !== 'core'),
  ];
  const beside = core.length > 0 ? Math.max(0, Math.floor(others.length / 2) - 1) : Math.floor(others.length / 2);
  const halves = [[...core, ...others.slice(0, beside)], others.slice(beside)].filter((half) => half.length > 0);
  const ended = await Promise.all(halves.map(compile));
  return { status: Math.max(...ended.map(({ status }) => status)), output: ended.map(({ output }) => output).join('') };
}

/**
 * @param {string[]} directories
 * @returns {Ended}
 */
function declare(directories) {
  const { status, stderr: output } = spawnSync(execPath, [join(root, 'scripts', 'declarations.mjs'), ...directories], {
    encoding: 'utf8',
  });
  return { status: status ?? 1, output };
}

async function build() {
  const stale = workspacePackages(['packages'])
    .filter(({ manifest }) => manifest.scripts?.['build'] !== undefined)
    // Hash before the build, so that a change during the build triggers the next one.
    .map(({ directory, manifest }) => ({ directory, name: manifest.name, before: inputs(directory) }))
    .filter(
      ({ directory, before }) =>
        forceBuild || lacksGenerated(directory) || readIfThere(stampOf(directory)) !== `${before} ${output(directory)}`,
    );
  if (stale.length === 0) return;
  const filters = stale.flatMap(({ name }) => ['--filter', name]);
  const names = stale.map(({ directory }) => relative(root, directory)).join(', ');
  const kernels = stale.map(({ directory }) => directory).filter(hasKernel);
  if (kernels.length > 0) await step('compiling kernels', () => compileAll(kernels));
  await step(`building ${names}`, () => pnpm([...filters, '--workspace-concurrency=2', 'exec', 'tsup'], 'capture'));
  await step('declaring types', () => declare(stale.map(({ directory }) => directory)));
  mkdirSync(join(root, '.cache', 'build'), { recursive: true });
  for (const { directory, before } of stale) writeFileSync(stampOf(directory), `${before} ${output(directory)}`);
}

await install();
await build();
