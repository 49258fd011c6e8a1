#!/usr/bin/env node
// @ts-check
// Packs the packages, installs the tarballs in a temporary folder, fetches the peers that ship their tests, puts an
// adapter in the place of each peer's own code, and runs its tests. Fails when a test fails that has no reason to.
// Needs the network:
//   npm run peers                        all peers
//   npm run peers -- semaphore piscina   some
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import process, { argv, execPath } from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { pnpm } from '../../../scripts/pnpm.mjs';
import { peers, withoutTests } from './peers.mjs';

const TOOLS = { mocha: '11.7.5', should: '13.2.3', tape: '5.9.0', tsx: '4.20.6' };
const PACKED = ['worker-pool', 'mutex'];
const MAX_MS = 240_000;
/** An installation on a busy machine, or over a slow network. */
const MAX_INSTALL_MS = 1_200_000;
/** A file of tests may take so long; those that leave a task behind do not end before. */
const MAX_FILE_MS = 60_000;

const here = fileURLToPath(new URL('.', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'sluice-peers-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

/** @typedef {{ name: string, file: string, passed: boolean, why?: string | undefined }} Test */

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 * @param {number} [timeout] ms
 */
function run(command, args, cwd, timeout = MAX_MS) {
  const shell = process.platform === 'win32' && command === 'npm';
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    shell,
    timeout,
    maxBuffer: 2 ** 27,
  });
  if (error !== undefined && status === null && !('code' in error && error.code === 'ETIMEDOUT')) throw error;
  return { status, stdout, stderr };
}

/**
 * @param {string[]} args
 * @param {string} cwd
 */
function npm(args, cwd) {
  const { status, stdout, stderr } = run('npm', args, cwd, MAX_INSTALL_MS);
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed\n${stdout}${stderr}`);
  return stdout.trim();
}

function install() {
  const tarballs = join(scratch, 'tarballs');
  const filters = PACKED.flatMap((name) => ['--filter-prod', `@sluice/${name}...`]);
  const packed = pnpm([...filters, 'pack', '--pack-destination', tarballs], 'capture');
  if (packed.status !== 0) throw new Error(packed.output);
  writeFileSync(join(scratch, 'package.json'), JSON.stringify({ name: 'peers', private: true }));
  const ours = readdirSync(tarballs).map((file) => join(tarballs, file));
  const tools = Object.entries(TOOLS).map(([name, version]) => `${name}@${version}`);
  npm(['install', '--no-audit', '--no-fund', '--ignore-scripts', ...ours, ...tools], scratch);
}

/**
 * The peer with its own code replaced; its tests find ours and the tools by `node_modules` above.
 * @param {import('./peers.mjs').Peer} peer
 */
function fetchPeer({ name, version, adapters, compiled }) {
  const target = join(scratch, 'peers', name);
  mkdirSync(target, { recursive: true });
  const tarball =
    npm(['pack', '--silent', `${name}@${version}`], join(scratch, 'peers'))
      .split('\n')
      .at(-1) ?? '';
  const { status, stderr } = run('tar', ['xzf', join('..', tarball), '--strip-components=1'], target);
  if (status !== 0) throw new Error(stderr);
  for (const [file, adapter] of Object.entries(adapters))
    copyFileSync(join(here, 'adapters', adapter), join(target, file));
  if (compiled !== undefined) compile(join(target, compiled));
  return target;
}

/**
 * Workers load JavaScript only.
 * @param {string} folder
 */
function compile(folder) {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file));
  const esbuild = join(scratch, 'node_modules', 'esbuild', 'bin', 'esbuild');
  const { status, stderr } = run(
    execPath,
    [esbuild, ...files, `--outdir=${folder}`, '--format=cjs', '--log-level=error'],
    folder,
  );
  if (status !== 0) throw new Error(stderr);
}

/**
 * @param {string} folder
 * @param {string[]} files
 * @returns {Test[]}
 */
function withMocha(folder, files) {
  const mocha = join(scratch, 'node_modules', 'mocha', 'bin', 'mocha.js');
  return files.flatMap((file) => {
    const { stdout, stderr } = run(execPath, [mocha, '--exit', '--reporter', 'json', file], folder);
    const start = stdout.indexOf('{\n  "stats"');
    if (start < 0) return [{ name: 'the file runs', file, passed: false, why: stdout + stderr }];
    /** @type {{ tests: { fullTitle: string, err: { message?: string } }[] }} */
    const { tests } = JSON.parse(stdout.slice(start));
    return tests.map(({ fullTitle, err }) => ({
      name: fullTitle,
      file,
      passed: err.message === undefined,
      why: err.message,
    }));
  });
}

/**
 * @param {string} folder
 * @param {string[]} files
 * @returns {Test[]}
 */
function withTape(folder, files) {
  return files.flatMap((file) => {
    const { status, stdout, stderr } = run(execPath, [file], folder);
    /** @type {Test[]} */
    const tests = [];
    for (const line of stdout.split('\n')) {
      const title = /^# (.+)$/.exec(line)?.[1];
      if (title !== undefined && !/^(tests|pass|fail|ok)\b/.test(title))
        tests.push({ name: title, file, passed: true });
      const failed = /^not ok \d+ (.*)$/.exec(line)?.[1];
      const last = tests.at(-1);
      if (failed !== undefined && last !== undefined) Object.assign(last, { passed: false, why: failed });
    }
    if (tests.length === 0 || (status !== 0 && tests.every(({ passed }) => passed)))
      tests.push({ name: 'the file runs', file, passed: false, why: stderr });
    return tests;
  });
}

/**
 * @param {string} folder
 * @param {string[]} files
 * @param {import('./peers.mjs').Peer['leftOut']} [leftOut]
 * @returns {Test[]}
 */
function withNode(folder, files, leftOut = []) {
  const reporter = pathToFileURL(join(here, 'adapters', 'reporter.mjs')).href;
  return files.flatMap((/** @type {string} */ file) => /** @type {Test[]} */ (withNodeOne(file)));

  /** @param {string} file */
  function withNodeOne(file) {
    const only = leftOut
      .filter(([pattern]) => pattern.test(file))
      .map(([, , , names]) => `--test-name-pattern=${names.source}`);
    const args = [
      '--import',
      'tsx',
      '--test',
      '--test-force-exit',
      `--test-timeout=${MAX_FILE_MS}`,
      ...only,
      `--test-reporter=${reporter}`,
      file,
    ];
    const { status, stdout, stderr } = run(
      execPath,
      args.filter((arg) => arg !== '--test-force-exit' || Number(process.versions.node.split('.')[0]) > 20),
      folder,
    );
    const tests = stdout
      .split('\n')
      .filter((line) => line.startsWith('{"name"'))
      .map((line) => /** @type {Test & { skipped: boolean, isLate?: boolean }} */ (JSON.parse(line)));
    if (status === null)
      console.log(`  cut off after ${MAX_MS / 1000} s: ${file}: only the tests that had ended count`);
    // The file itself counts as a test when nothing in it does.
    const inside = tests.filter(({ name, isLate }) => isLate !== true && !name.endsWith('.ts'));
    for (const { name, why } of tests.filter(({ isLate }) => isLate)) {
      const test = inside.find((other) => other.name === name && other.passed && !other.skipped);
      if (test !== undefined) Object.assign(test, { passed: false, why });
    }
    if (inside.length === 0) return [{ name: 'the file runs', file, passed: false, why: stdout + stderr }];
    return inside
      .filter(({ skipped }) => !skipped)
      .map((test) => ({ ...test, file: relative(folder, join(folder, file)) }));
  }
}

const RUNNERS = { mocha: withMocha, tape: withTape, node: withNode };
const wanted = argv.slice(2);
const unknown = wanted.filter((name) => !peers.some((peer) => peer.name === name));
if (unknown.length > 0)
  throw new Error(`Unknown peer ${unknown.join()}: expected one of ${peers.map(({ name }) => name).join(', ')}.`);

install();
let failures = 0;
/** @type {string[]} */
const summary = [];
for (const peer of peers.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const folder = fetchPeer(peer);
  if (!peer.files.every((file) => existsSync(join(folder, file))))
    throw new Error(`${peer.name}: a file of its tests is missing.`);
  const tests = RUNNERS[peer.runner](folder, peer.files, peer.leftOut);
  const counts = { passed: 0, failed: 0, notApplicable: 0 };
  console.log(`\n${peer.name} ${peer.version}, over ${peer.ours}`);
  for (const { name, file, passed, why } of tests) {
    const reason = peer.notApplicable.find(([pattern]) => pattern.test(`${file}: ${name}`))?.[1];
    if (passed) counts.passed += 1;
    else if (reason !== undefined) {
      counts.notApplicable += 1;
      console.log(`  not applicable: ${file}: ${name}: ${reason}`);
    } else {
      counts.failed += 1;
      console.log(`  FAILED: ${file}: ${name}: ${String(why).trim().split('\n').slice(0, 12).join('\n    ')}`);
    }
  }
  for (const [file, name, reason] of peer.leftOut ?? []) console.log(`  not run: ${file.source}: ${name}: ${reason}`);
  for (const [files, reason] of peer.notRun ?? []) console.log(`  not run: ${files}: ${reason}`);
  failures += counts.failed;
  summary.push(
    `${peer.name} ${peer.version}: ${tests.length} tests, ${counts.passed} passed, ${counts.failed} failed, ${counts.notApplicable} not applicable`,
  );
}
console.log(`\n${summary.join('\n')}`);
console.log(`no tests in the tarball: ${withoutTests.join(', ')}`);
process.exitCode = failures === 0 ? 0 : 1;
