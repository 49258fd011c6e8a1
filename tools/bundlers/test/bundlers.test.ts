// A server on a worker pool, built with each bundler by the recipes of the pool's README, and run where no package can
// be found.

import { build as esbuild } from 'esbuild';
import { execFile as execFileWithCallback } from 'node:child_process';
import { createRequire } from 'node:module';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { build as vite } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import webpack, { type Configuration, type Stats } from 'webpack';
import { atFullDepth, depth } from '../../harness/src/session.ts';
import { Project, run } from './project.ts';

const execFile = promisify(execFileWithCallback);
const WORKER = '@sluice/worker-pool/worker';
const MAX_MS = 60_000;
const RIGHT = { code: 0, stdout: '1 4 9 16\nsum 10\nclosed\n', stderr: '' };
const ESM = ['esm', 'module'] as const;
const CJS = ['cjs', 'commonjs'] as const;

let project: Project;
beforeAll(() => (project = new Project()));
afterAll(() => project.remove());

function withEsbuild(format: 'esm' | 'cjs', outdir: string, entries: Record<string, string>): Promise<unknown> {
  const entryPoints = { server: 'server.mjs', tasks: 'tasks.mjs', ...entries };
  return esbuild({
    absWorkingDir: project.root,
    bundle: true,
    platform: 'node',
    logLevel: 'error',
    format,
    outdir,
    entryPoints,
  });
}

function withWebpack(configuration: Configuration): Promise<Stats> {
  return new Promise((resolve, reject) => {
    webpack({ mode: 'none', target: 'node', context: project.root, ...configuration }, (failure, stats) => {
      if (failure !== null || stats === undefined) reject(failure ?? new Error('webpack built nothing.'));
      else resolve(stats);
    });
  });
}

test('a server that is not bundled runs tasks and closes', () => {
  expect(run(project.path('server.mjs'), ['tasks.mjs'])).toEqual(RIGHT);
});

test.each([ESM, CJS])(
  'a server built with esbuild as %s runs tasks and closes',
  { timeout: MAX_MS },
  async (format, type) => {
    await withEsbuild(format, format, { 'sluice-pool-worker': WORKER });
    expect(project.run(format, type, 'server.js', 'tasks.js')).toEqual(RIGHT);
  },
);

test.each([ESM, ...atFullDepth(CJS)])(
  'a server built with esbuild as %s runs the worker that workerUrl names',
  { timeout: MAX_MS },
  async (format, type) => {
    await withEsbuild(format, 'named', { other: WORKER });
    expect(project.run('named', type, 'server.js', 'tasks.js', 'other.js')).toEqual(RIGHT);
  },
);

test.each([ESM, ...atFullDepth(CJS)])(
  'a server built as %s without its worker file gets an error that says what to do',
  { timeout: MAX_MS },
  async (format, type) => {
    await withEsbuild(format, 'alone', {});
    const { code, stdout } = project.run('alone', type, 'server.js', 'tasks.js');
    expect(stdout.match(/SLUICE_WORKER_FILE/g)).toHaveLength(4);
    expect(stdout).toContain("Make '@sluice/worker-pool/worker' an entry point named 'sluice-pool-worker'");
    expect(stdout).toContain('or give its path as the option workerUrl');
    expect(stdout).toContain('closed');
    expect(code).toBe(0);
  },
);

// It finds the worker by itself.
test.each([
  ['CommonJS', 'commonjs', { output: { library: { type: 'commonjs2' } } }],
  ...atFullDepth([
    'ESM',
    'module',
    {
      experiments: { outputModule: true },
      output: { module: true, chunkFormat: 'module', library: { type: 'module' } },
    },
  ]),
] as const)(
  'a server built with webpack as %s runs tasks and closes',
  { timeout: MAX_MS },
  async (_, type, { output, ...rest }) => {
    const entry = { server: './server.mjs', tasks: './tasks.mjs' };
    const stats = await withWebpack({
      ...rest,
      entry,
      output: { ...output, path: project.path(type), filename: '[name].js' },
    });
    expect(stats.toJson({ errors: true, warnings: true })).toMatchObject({ errors: [], warnings: [] });
    expect(project.run(type, type, 'server.js', 'tasks.js')).toEqual(RIGHT);
  },
);

test('a server built with Vite for SSR, nothing external, runs tasks and closes', { timeout: MAX_MS }, async () => {
  const input = { server: project.path('server.mjs'), tasks: project.path('tasks.mjs'), 'sluice-pool-worker': WORKER };
  const build = { ssr: true, outDir: 'vite', rolldownOptions: { input } };
  await vite({ configFile: false, root: project.root, logLevel: 'error', build, ssr: { noExternal: true } });
  expect(project.run('vite', 'commonjs', 'server.mjs', 'tasks.mjs')).toEqual(RIGHT);
});

// ncc has one entry point: the worker is built for itself, and the server is told where it is.
test.runIf(depth === 'full')('a server built with ncc runs tasks and closes', { timeout: MAX_MS }, async () => {
  const require = createRequire(import.meta.url);
  const ncc = require.resolve('@vercel/ncc/dist/ncc/cli.js');
  const parts = {
    server: 'server.mjs',
    tasks: 'tasks.mjs',
    worker: 'node_modules/@sluice/worker-pool/dist/sluice-pool-worker.js',
  };
  const builds = Object.entries(parts).map(([name, file]) =>
    execFile(execPath, [ncc, 'build', file, '--out', `ncc/${name}`, '--quiet'], { cwd: project.root }),
  );
  await Promise.all(builds);
  expect(project.run('ncc', 'module', 'server/index.mjs', '../tasks/index.mjs', '../worker/index.js')).toEqual(RIGHT);
});
