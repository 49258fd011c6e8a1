#!/usr/bin/env node
// @ts-check
// Everything that CI checks, from a bare checkout on, cheapest first. A failure does not stop what follows, so that one
// run reports all failures. Only a failed set-up does, because no other step works without a build. The last line is
// always `N passed, N failed`: tests of all layers, and one failure for a check that failed.
//   <package>  only the tests of packages (`mutex`) or folders (`tools/model`), without the checks
//   --no-docs  not the documents, which name packages that may be missing (check-without.mjs)
//   --browsers also in the browsers that are installed
//   --ci       at the depth of CI: all files, every mutant, and models searched further
//   --full     at full depth: all schedules of all models, and in the browsers that are installed
//   --publish  at full depth, and also checks the packed tarballs, the site, the recipes for bundlers and that all
//              benchmarks run
//   --soak     the model and stress layers only, at their long sizes
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import process, { argv, env, execPath, stderr, stdout } from 'node:process';
import { ERRORS_FILE, NO_RESULTS, resultsOf, withSecondRun } from './run-results.mjs';
import { root, workspacePackages } from './workspace.mjs';

/** @typedef {{ passed: number, failed: number }} Tally */
/** @typedef {{ name: string, seconds: number, passed: number, failed: number }} Outcome */
/** @typedef {{ name: string, run: () => Promise<Tally> }} Step */
/** @typedef {import('./run-results.mjs').RunResults} RunResults */

const binaries = {
  // The compiler in native code: it takes half the time of the one that the other tools use.
  tsc: 'node_modules/typescript-native/bin/tsc',
  biome: 'node_modules/@biomejs/biome/bin/biome',
  eslint: 'node_modules/eslint/bin/eslint.js',
  vitest: 'node_modules/vitest/vitest.mjs',
};

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    for (const { pid } of running) if (pid !== undefined) process.kill(-pid, signal);
    process.exit(1);
  });
}

/**
 * @param {string[]} args
 * @param {'inherit' | 'capture'} output
 * @returns {Promise<{ code: number, output: string }>}
 */
function node(args, output) {
  return new Promise((resolve, reject) => {
    const child = spawn(execPath, args, {
      cwd: root,
      stdio: output === 'inherit' ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that the reporter of a stuck run can end all of it.
      detached: true,
    });
    running.add(child);
    child.on('close', () => running.delete(child));
    let text = '';
    child.stdout?.on('data', (chunk) => (text += String(chunk)));
    child.stderr?.on('data', (chunk) => (text += String(chunk)));
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: signal === null ? (code ?? 1) : 1, output: text }));
  });
}

/**
 * A check prints its failures, or its few lines of output.
 * @param {string} name
 * @param {string[]} args
 * @param {{ silent?: boolean }} [options] `silent`: what it prints is for its own readers, unless it fails
 * @returns {Step}
 */
function check(name, args, { silent = false } = {}) {
  return {
    name,
    run: async () => {
      const { code, output } = await node(args, 'capture');
      const text = output.trim();
      if (code !== 0) stderr.write(`\n${name} failed\n${text}\n\n`);
      else if (text !== '' && !silent) stdout.write(`${text}\n`);
      return { passed: 0, failed: code === 0 ? 0 : 1 };
    },
  };
}

/**
 * Installs and builds what is missing: part of the run, so that its failure ends in a closing line too. @type {Step}
 */
const setUp = {
  name: 'set up',
  run: async () => {
    const { code } = await node(['scripts/bootstrap.mjs'], 'inherit');
    return { passed: 0, failed: code === 0 ? 0 : 1 };
  },
};

/**
 * The projects of vitest.config.ts that make up a layer, where they are several. @type {Record<string, readonly
 * string[]>}
 */
const PROJECTS = {
  stress: ['stress', 'stress-waiting'],
  measured: ['stress'],
  waiting: ['stress-waiting'],
};

/**
 * Their projects say how many files run at a time. For the others Vitest would leave a core free: half of a small
 * machine.
 */
const SIZED = ['stress', 'measured', 'waiting'];

/**
 * A unit test waits for timers, threads and processes a third of its time. With two files for each core, few cores
 * wait.
 */
const unitWorkers = String(2 * availableParallelism());

/**
 * @param {string} kind
 * @param {readonly string[]} folders all of them, if there are none
 * @returns {Step}
 */
function layer(kind, folders) {
  const file = join(root, '.cache', `vitest-${kind}.json`);
  const errorsFile = join(root, '.cache', `vitest-${kind}-errors.json`);
  const projects = (PROJECTS[kind] ?? [kind]).map((name) => `--project=${name}`);
  const reporters = ['./scripts/layer-reporter.mjs', 'json', './scripts/stuck-reporter.mjs'].map(
    (name) => `--reporter=${name}`,
  );
  reporters.push(`--outputFile.json=${file}`);
  const workers = SIZED.includes(kind) ? [] : [`--maxWorkers=${kind === 'unit' ? unitWorkers : '100%'}`];

  /** @param {readonly string[]} filters @returns {Promise<RunResults>} */
  const runOnce = async (filters) => {
    for (const old of [file, errorsFile]) rmSync(old, { force: true });
    const some = filters.length > 0 ? [...filters, '--passWithNoTests'] : [];
    env[ERRORS_FILE] = errorsFile;
    const { code } = await node([binaries.vitest, 'run', ...projects, ...some, ...workers, ...reporters], 'inherit');
    // A package need not have tests in every layer.
    if (!existsSync(file)) return { ...NO_RESULTS, failed: code === 0 && filters.length > 0 ? 0 : 1 };
    /** @type {string[]} */
    const errors = existsSync(errorsFile) ? JSON.parse(readFileSync(errorsFile, 'utf8')) : [];
    return resultsOf(JSON.parse(readFileSync(file, 'utf8')), code, errors);
  };

  return {
    name: `${kind} tests`,
    run: async () => {
      const first = await runOnce(folders);
      if (first.crashed.length === 0) return { passed: first.passed, failed: first.failed };
      const names = first.crashed.join(', ');
      stderr.write(`\nThe process of these files crashed, so they run once more: ${names}\n\n`);
      return withSecondRun(first, await runOnce(first.crashed));
    },
  };
}

/**
 * @param {string} what is wrong with the command line, and what to type
 * @returns {never}
 */
function refuse(what) {
  stderr.write(`No test was run. ${what}\n`);
  process.exit(1);
}

/** The layer of a file of tests. */
const KINDS = [
  { kind: 'unit', files: /\.test\.ts$/ },
  { kind: 'model', files: /(\.model|-cases)\.ts$/ },
  { kind: 'stress', files: /\.stress\.ts$/ },
];

/**
 * The folder that an argument names, as Vitest takes it.
 * @param {string} argument
 */
function folderOf(argument) {
  const folder = [`packages/${argument}`, argument].find((candidate) =>
    existsSync(join(root, candidate, 'package.json')),
  );
  if (folder !== undefined) return `${folder.replace(/\/+$/, '')}/`;
  const kind = KINDS.find(({ files }) => files.test(argument))?.kind;
  if (kind !== undefined && existsSync(join(root, argument)))
    refuse(`'${argument}' is one file: type \`npm run test:${kind} -- ${argument}\`.`);
  const names = workspacePackages(['packages']).map(({ directory }) => basename(directory));
  return refuse(
    `'${argument}' is no package. Type \`npm test -- mutex\`: one or more of ${names.join(', ')}, or a folder such as tools/model.`,
  );
}

const OPTIONS = ['--browsers', '--ci', '--full', '--soak', '--publish', '--no-docs'];
const unknown = argv.slice(2).filter((argument) => argument.startsWith('-') && !OPTIONS.includes(argument));
if (unknown.length > 0) refuse(`There is no option ${unknown.join(', ')}: there are ${OPTIONS.join(', ')}.`);
const soak = argv.includes('--soak');
const publish = argv.includes('--publish');
const folders = argv
  .slice(2)
  .filter((argument) => !argument.startsWith('-'))
  .map(folderOf);
const isQuick = !soak && !publish && !argv.includes('--full') && !argv.includes('--ci');
/** A quick run leaves the examples, and the tools that test the whole, to CI. */
const taken = folders.length === 0 && isQuick ? ['packages/', 'tools/checks/', 'tools/model/'] : folders;
if (soak) env['SLUICE_SOAK'] = '1';
if (publish || argv.includes('--full')) env['SLUICE_DEPTH'] = 'full';
else if (argv.includes('--ci')) env['SLUICE_DEPTH'] = 'ci';
if (isQuick) {
  // The rules that need types are left to CI, and so are the tests that take long (vitest.config.ts).
  env['SLUICE_LINT'] = 'plain';
  env['SLUICE_SHORT'] = '1';
}

const checks = 'tools/checks/src';
/** @type {Step[][]} */
const staticChecks = [
  [
    check('typecheck', [binaries.tsc, '-p', 'tsconfig.json']),
    // Biome prints a line when all is well, too.
    check('format', [binaries.biome, 'format', '.'], { silent: true }),
    check('graph', [`${checks}/check-graph.mjs`]),
    // Where packages are missing, comments name what is not there.
    check('comments', [`${checks}/check-comments.mjs`, ...(argv.includes('--no-docs') ? ['--no-references'] : [])]),
    check('titles', [`${checks}/check-titles.mjs`]),
    check('entries', [`${checks}/check-entries.mjs`]),
    check('declarations', [`${checks}/check-declarations.mjs`]),
    // These check the built files and the documents, and take as long as a layer.
    ...(isQuick
      ? []
      : [
          check('size', [`${checks}/check-size.mjs`]),
          ...(argv.includes('--no-docs') ? [] : [check('docs', [`${checks}/check-docs.mjs`])]),
          check('types', [`${checks}/check-types.mjs`, ...(publish ? ['--all'] : [])]),
        ]),
  ],
  publish ? [check('publish', [`${checks}/check-publish.mjs`])] : [],
];
/** Their figures mean nothing in so short a run. It only checks that the benchmarks run. */
const someBenchmarks = publish ? [] : ['uncontended', 'contended', 'buffer', 'limit'];
const benchmarks = check('benchmarks', ['benchmarks/src/main.mjs', '--quick', ...someBenchmarks], { silent: true });
const lint = check('lint', [binaries.eslint, '.', '--max-warnings', '0']);
const unit = [layer('unit', taken)];
const model = [layer('model', taken)];
const stress = [layer('stress', taken)];
/** Stress tests that want the machine for themselves. */
const measured = [layer('measured', taken)];
const HAVE_BROWSERS = 'tools/browsers/src/have.mjs';
/** If the package is present. */
const hasBrowsers =
  (argv.includes('--browsers') || env['SLUICE_DEPTH'] === 'full') && existsSync(join(root, HAVE_BROWSERS));
/**
 * Lint keeps one core busy. The tests beside it wait most of the time, for servers, programs and pages. The benchmarks
 * start after the pages, and not with them, so that no server loses its lease.
 */
const beside = [
  lint,
  layer('waiting', taken),
  [...(hasBrowsers ? [layer('browsers', [])] : []), ...(isQuick ? [] : [benchmarks])],
];
/** It installs what no other test needs. @type {Step[][]} */
const bundlers = publish && existsSync(join(root, 'tools/bundlers/web')) ? [[layer('bundlers', [])]] : [];
/** It installs the site's own packages. @type {Step[][]} */
const site = publish ? [[check('site', ['docs/site/build/main.mjs'], { silent: true })]] : [];
/** The groups run one after the other. The steps of a group run side by side, those of a list in it in turn. @type {(Step | Step[])[][]} */
const plan = soak
  ? [[setUp], model, stress]
  : folders.length > 0
    ? // One package has few files in each layer: two layers side by side keep the cores busy.
      [[setUp], [...unit, ...model], stress]
    : [
        [setUp],
        ...staticChecks,
        unit,
        model,
        measured,
        // It says which browsers are missing.
        hasBrowsers ? [check('browsers', [HAVE_BROWSERS])] : [],
        beside,
        ...bundlers,
        ...site,
      ];

mkdirSync(join(root, '.cache'), { recursive: true });

/** @param {Step | Step[]} steps @returns {Promise<Outcome[]>} */
async function runInTurn(steps) {
  const finished = [];
  for (const { name, run } of [steps].flat()) {
    const start = performance.now();
    const tally = await run();
    finished.push({ name, seconds: (performance.now() - start) / 1000, ...tally });
  }
  return finished;
}

/** @type {Outcome[]} */
const outcomes = [];
for (const group of plan) {
  const finished = (await Promise.all(group.map(runInTurn))).flat();
  outcomes.push(...finished);
  if (group.includes(setUp) && finished.some(({ failed }) => failed > 0)) break;
}

const skipped = plan.flat(2).slice(outcomes.length);
stdout.write('\n');
for (const { name, seconds, passed, failed } of outcomes) {
  const result =
    failed > 0
      ? `FAILED${passed > 0 ? ` (${passed} passed, ${failed} failed)` : ''}`
      : passed > 0
        ? `ok (${passed})`
        : 'ok';
  stdout.write(`${name.padEnd(14)}${seconds.toFixed(1).padStart(6)} s  ${result}\n`);
}
for (const { name } of skipped) stdout.write(`${name.padEnd(14)}${'-'.padStart(6)}    not run\n`);

/** @param {'passed' | 'failed'} key */
const total = (key) => outcomes.reduce((sum, outcome) => sum + outcome[key], 0);
if (isQuick) stdout.write('\nThe tests that take long were left out: `npm test -- --ci` runs all.\n');
stdout.write(`\n${total('passed')} passed, ${total('failed')} failed\n`);
process.exitCode = total('failed') === 0 ? 0 : 1;
