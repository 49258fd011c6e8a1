// @ts-check
// An empty project of a newcomer, which gets the packages of the family from the registry of the release and all others
// as usual.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { javascriptOf } from '../../tools/checks/src/snippets.mjs';
import { FACADE } from '../workspace.mjs';
import { run } from './command.mjs';
import { versionOf } from './versions.mjs';

/** @typedef {{ url: string, scratch: string, version: string }} Place */

const MAX_RUN_MS = 60_000;
/** A remark after a command. */
const REMARK = /\s+#.*$/;

/**
 * The packages that a snippet imports.
 * @param {string} code
 * @returns {string[]}
 */
export const packagesOf = (code) =>
  [...code.replaceAll(/\/\/.*$/gm, '').matchAll(/\bfrom '([^'.][^']*)'/g)]
    .map(([, name = '']) => name)
    .filter((name) => !isBuiltin(name));

/** Runs only as the worker of a pool; is no program's; has only one form, which the page of `sluice` loads. */
const NOT_IMPORTED = ['./worker', './package.json', './sluice.js', './sluice-js.js'];

/** Entries that a program loads for what they do. */
const FOR_EFFECT = /\/lock-order$/;

/** An entry for programs that have the package `PEER` installed. */
const WITH_PEER = '@sluice/bounded-buffer/msgpack';
const PEER = 'msgpackr';

/**
 * The entries that a manifest exports.
 * @param {{ name: string, exports: Record<string, unknown> }} manifest
 * @returns {string[]}
 */
export const entriesOf = ({ name, exports }) =>
  Object.keys(exports)
    .filter((entry) => !NOT_IMPORTED.includes(entry))
    .map((entry) => name + entry.slice(1));

/**
 * The program that READMEs name `app.js`. It holds a permit, and leaves the dump that a README reads.
 */
const APP = `import { writeFileSync } from 'node:fs';
import { Arena, Semaphore } from 'sluice';

Semaphore.create(1, { name: 'connections' }).acquire();
const { dumpArena } = await import('@sluice/inspect');
writeFileSync('arena.dump', dumpArena(Arena.default()));
`;

export class Project {
  /**
   * @param {string} folder
   * @param {Place} place
   */
  constructor(folder, { url, scratch, version }) {
    this.folder = folder;
    this.version = version;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "name": "newcomer", "private": true, "type": "module" }\n');
    writeFileSync(join(folder, 'app.js'), APP);
    writeFileSync(
      join(folder, '.npmrc'),
      `registry=${url}\ncache=${join(scratch, 'npm-cache')}\naudit=false\nfund=false\n`,
    );
  }

  /**
   * A command as a document has it.
   * @param {string} command
   */
  shell(command) {
    run(command.replace(REMARK, ''), [], this.folder, { shell: true });
  }

  /** Throws if a package of the family is not of this release. */
  checkVersions() {
    const family = join(this.folder, 'node_modules', '@sluice');
    for (const name of readdirSync(family)) {
      const got = versionOf(join(family, name));
      if (got !== this.version)
        throw new Error(`${this.folder}: installed @sluice/${name} ${got}, not ${this.version}`);
    }
    const facade = join(this.folder, 'node_modules', FACADE);
    if (existsSync(facade) && versionOf(facade) !== this.version)
      throw new Error(`${this.folder}: installed ${FACADE} ${versionOf(facade)}, not ${this.version}`);
  }

  /**
   * Each entry of each package, as an ES module and as CommonJS.
   * @param {readonly string[]} names
   */
  importEach(names) {
    const manifests = names.map((name) =>
      JSON.parse(readFileSync(join(this.folder, 'node_modules', name, 'package.json'), 'utf8')),
    );
    const entries = manifests.flatMap(entriesOf).filter((entry) => entry !== WITH_PEER || this.has(`from '${PEER}'`));
    const check = `for (const [name, { length }] of Object.entries(found)) if (length === 0 && !${FOR_EFFECT}.test(name)) throw new Error(name + ' exports nothing');`;
    const list = JSON.stringify(entries);
    writeFileSync(
      join(this.folder, 'esm.mjs'),
      `const found = {}; for (const name of ${list}) found[name] = Object.keys(await import(name)); ${check}\n`,
    );
    writeFileSync(
      join(this.folder, 'cjs.cjs'),
      `const found = {}; for (const name of ${list}) found[name] = Object.keys(require(name)); ${check}\n`,
    );
    for (const file of ['esm.mjs', 'cjs.cjs']) run(execPath, [file], this.folder, { most: MAX_RUN_MS });
  }

  /**
   * Whether everything that a snippet imports is installed.
   * @param {string} code
   */
  has(code) {
    const { resolve } = createRequire(join(this.folder, 'snippet.mjs'));
    return packagesOf(code).every((name) => {
      try {
        return resolve(name) !== '';
      } catch {
        return false;
      }
    });
  }

  /**
   * @param {import('../../tools/checks/src/markdown.mjs').Snippet} snippet
   * @param {Record<string, string>} env
   */
  async runSnippet(snippet, env) {
    const file = `snippet-${snippet.line}.mjs`;
    writeFileSync(
      join(this.folder, file),
      snippet.language.startsWith('t') ? await javascriptOf(snippet, file) : snippet.code,
    );
    run(execPath, [file], this.folder, { most: MAX_RUN_MS, env });
  }
}
