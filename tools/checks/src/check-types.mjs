#!/usr/bin/env node
// @ts-check
// Checks the declarations as a user's compiler does, without skipLibCheck, as an ES module and as CommonJS.
//   --all  with each compiler of `COMPILERS`, and in each of `SETTINGS`; needs the network
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argv, execPath } from 'node:process';
import { npm } from '../../../scripts/release/command.mjs';
import { root, workspacePackages } from '../../../scripts/workspace.mjs';
import { report } from './report.mjs';

/** The oldest that has `esnext.disposable`, the last of its line, and the newest. The workspace's own comes on top. */
const COMPILERS = ['5.2.2', '5.4.5', '5.9.3', '7.0.2'];

const DISPOSABLE = 'esnext.disposable';

/**
 * @typedef {object} Setting
 * @property {string} module
 * @property {string} [moduleResolution]
 * @property {readonly string[]} files the extensions of a user's files
 * @property {readonly string[]} lib
 * @property {readonly string[]} types none: a page's program, which does not use the packages for Node.js
 */

/** @type {Setting} */
const USUAL = { module: 'nodenext', files: ['mts', 'cts'], lib: ['es2022', DISPOSABLE], types: ['node'] };

/** `@types/node` declares what it needs of `esnext.disposable`. @type {readonly Setting[]} */
const SETTINGS = [
  USUAL,
  { ...USUAL, module: 'node16' },
  { ...USUAL, module: 'esnext', moduleResolution: 'bundler', files: ['ts'] },
  { ...USUAL, lib: ['es2022'] },
  { ...USUAL, module: 'esnext', moduleResolution: 'bundler', files: ['ts'], lib: ['es2022'] },
  { ...USUAL, lib: ['es2022', 'dom', DISPOSABLE], types: [] },
];

const NODE_ONLY = [
  'sluice',
  'sluice/lock-order',
  'sluice/watchdog',
  'sluice/why',
  '@sluice/worker-pool',
  '@sluice/bounded-buffer/node-streams',
  '@sluice/inspect/lock-order',
  '@sluice/inspect/view',
  '@sluice/inspect/watchdog',
  '@sluice/inspect/why',
];
/** For the packages themselves, and what has the types of another entry or none. */
const UNLISTED = [
  './calls',
  './format',
  './internal',
  './kernel',
  './package.json',
  './report',
  './sluice-js.js',
  './sluice.js',
  './steps',
  './worker',
];
/** The packages whose entry `./js` is for programs. */
const WITH_ENGINE = ['@sluice/core', 'sluice'];

/**
 * The imports of a program from a package.
 * @param {{ name: string, exports?: Record<string, unknown> }} manifest
 */
const entriesOf = ({ name, exports = {} }) =>
  Object.keys(exports)
    .filter((entry) => !UNLISTED.includes(entry) && (entry !== './js' || WITH_ENGINE.includes(name)))
    .map((entry) => name + entry.slice(1));

const isAll = argv.includes('--all');
const scratch = mkdtempSync(join(tmpdir(), 'sluice-types-'));

/** @returns {Map<string, string>} the compilers' programs by version */
function compilers() {
  const own = /** @type {[string, string]} */ ([
    'of the workspace',
    join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
  ]);
  if (!isAll) return new Map([own]);
  const folder = join(scratch, 'compilers');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  npm(['install', ...COMPILERS.map((version) => `typescript-${version}@npm:typescript@${version}`)], folder);
  return new Map([
    ...COMPILERS.map(
      (version) =>
        /** @type {[string, string]} */ ([
          version,
          join(folder, 'node_modules', `typescript-${version}`, 'bin', 'tsc'),
        ]),
    ),
    own,
  ]);
}

/**
 * @param {string} tsc
 * @param {Setting} setting
 * @param {readonly string[]} names of the packages' entries
 * @returns {string | undefined} what it prints if it fails
 */
function check(tsc, { files, ...options }, names) {
  const used = options.types.length > 0 ? names : names.filter((name) => !NODE_ONLY.includes(name));
  const text = used.map((name, index) => `export * as p${index} from '${name}';`).join('\n');
  const users = files.map((extension) => `user.${extension}`);
  for (const user of users) writeFileSync(join(scratch, user), text);
  const compilerOptions = { noEmit: true, strict: true, skipLibCheck: false, target: 'es2022', ...options };
  writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: users }));
  const { status, stdout, stderr } = spawnSync(execPath, [tsc, '-p', '.'], { cwd: scratch, encoding: 'utf8' });
  return status === 0 ? undefined : `${stdout}${stderr}`;
}

try {
  const published = workspacePackages(['packages']).filter(({ manifest }) => manifest.private !== true);
  mkdirSync(join(scratch, 'node_modules', '@sluice'), { recursive: true });
  mkdirSync(join(scratch, 'node_modules', '@types'));
  symlinkSync(join(root, 'node_modules', '@types', 'node'), join(scratch, 'node_modules', '@types', 'node'), 'dir');
  for (const { directory, manifest } of published)
    symlinkSync(directory, join(scratch, 'node_modules', manifest.name), 'dir');
  const names = published.flatMap(({ manifest }) => entriesOf(manifest));
  const settings = isAll ? SETTINGS : [USUAL];
  const programs = compilers();
  const problems = [...programs].flatMap(([version, tsc]) =>
    settings.flatMap((setting) => {
      const problem = check(tsc, setting, names);
      return problem === undefined ? [] : [`TypeScript ${version}, ${JSON.stringify(setting)}\n${problem}`];
    }),
  );
  report(
    `types: ${published.length} packages, ${names.length} entries, TypeScript ${[...programs.keys()].join(', ')}, ${settings.length} settings each`,
    problems,
  );
} finally {
  rmSync(scratch, { recursive: true });
}
