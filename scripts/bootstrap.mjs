#!/usr/bin/env node
// @ts-check
// Makes a fresh or changed checkout ready: installs if the manifests changed, builds the packages whose sources
// changed. Contents are compared, not times, so switching branches back and forth costs nothing.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { argv, exit, stderr, stdout } from 'node:process';
import { pnpm } from './pnpm.mjs';
import { filesBelow, fingerprint, root, workspacePackages } from './workspace.mjs';

const forceBuild = argv.includes('--force-build');
const installStamp = join(root, 'node_modules', '.sluice-installed');

/**
 * Does one thing quietly: one line when it worked, its whole output when it did not.
 * @param {string} what
 * @param {string[]} args for pnpm
 */
function step(what, args) {
  const start = performance.now();
  const { status, output } = pnpm(args, 'capture');
  if (status !== 0) {
    stderr.write(`${output}\n${what}: failed\n`);
    exit(status);
  }
  stdout.write(`${what}: ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
}

/** @param {string} path */
const readIfThere = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

function install() {
  const manifests = workspacePackages().map(({ directory }) => join(directory, 'package.json'));
  const wanted = fingerprint(
    ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'].map((name) => join(root, name)).concat(manifests),
  );
  const present = existsSync(join(root, 'node_modules', '.modules.yaml')) && readIfThere(installStamp) === wanted;
  if (present) return;
  step('installed dependencies', ['install', '--frozen-lockfile', '--prefer-offline']);
  writeFileSync(installStamp, wanted);
}

/**
 * The inputs of a package's build plus the state of its output: changes if either is touched.
 * @param {string} directory
 */
function buildState(directory) {
  const shared = ['tsup.base.ts', 'tsconfig.base.json', 'pnpm-lock.yaml'].map((name) => join(root, name));
  const inputs = fingerprint([
    ...shared,
    ...['src', 'kernel', 'package.json', 'tsconfig.json', 'tsup.config.ts'].map((name) => join(directory, name)),
  ]);
  const output = join(directory, 'dist', 'index.js');
  return `${inputs} ${existsSync(output) ? statSync(output).mtimeMs : 'missing'}`;
}

/**
 * Generated sources are not inputs, but type checks and unit tests read them.
 * @param {string} directory
 */
const lacksGenerated = (directory) =>
  existsSync(join(directory, 'kernel', 'build.mjs')) &&
  !existsSync(join(directory, 'src', 'kernel', 'wasm.generated.ts'));

/** @param {string} directory */
const stampOf = (directory) => join(root, '.cache', 'build', basename(directory));

function build() {
  const stale = workspacePackages(['packages']).filter(
    ({ directory, manifest }) =>
      manifest.scripts?.['build'] !== undefined &&
      filesBelow([join(directory, 'src')]).length > 0 &&
      (forceBuild || lacksGenerated(directory) || readIfThere(stampOf(directory)) !== buildState(directory)),
  );
  if (stale.length === 0) return;
  const filters = stale.flatMap(({ manifest }) => ['--filter', manifest.name]);
  const names = stale.map(({ directory }) => relative(root, directory)).join(', ');
  step(`built ${names}`, [...filters, '--workspace-concurrency=2', 'run', 'build']);
  mkdirSync(join(root, '.cache', 'build'), { recursive: true });
  for (const { directory } of stale) writeFileSync(stampOf(directory), buildState(directory));
}

install();
build();
