// Runs programs that were bundled with the library, and reads the places in what they print.

import { build, type Plugin } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const PROGRAM = `
import { Arena } from '@sluice/core';
import { Mutex } from '@sluice/mutex';
import { formatReport, startOrderChecks, startPlaces } from '@sluice/inspect';

startOrderChecks({ onViolation: ({ text }) => console.log(text) });
startPlaces();
const arena = Arena.create({ maxPages: 16 });
function createOne() { return Mutex.create({ arena }); }
const a = createOne();
const b = Mutex.create({ arena, name: 'b' });
function innerOfA() { b.lock(); b.unlock(); }
function outerOfA() { a.run(innerOfA); }
function innerOfB() { a.lock(); console.log(formatReport(arena)); a.unlock(); }
function outerOfB() { b.lock(); innerOfB(); b.unlock(); }
outerOfA();
outerOfB();
void b.runAsync(() => { console.log('within', formatReport(arena)); });
`;

const PACKAGES = ['core', 'mutex', 'inspect'];

/** The built file of a package. */
function fileOf(name: string): string {
  return fileURLToPath(new URL(`../../../packages/${name}/dist/index.js`, import.meta.url));
}

/** Finds the packages that the program imports. */
const packages: Plugin = {
  name: 'packages',
  setup(bundler) {
    bundler.onResolve({ filter: /^@sluice\/\w+$/ }, ({ path, importer }) =>
      importer.endsWith('program.mjs') ? { path: fileOf(path.slice('@sluice/'.length)) } : undefined,
    );
  },
};

/** The functions of the program. */
const OWN = ['createOne', 'innerOfA', 'outerOfA', 'innerOfB', 'outerOfB'];

test.each([
  ['in one file', false, false],
  ['in chunks', true, false],
  ['minified', false, true],
])('a program that is bundled %s sees no frame of the library', async (_, splitting, minify) => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-places-'));
  try {
    const file = join(folder, 'program.mjs');
    writeFileSync(file, PROGRAM);
    await build({
      entryPoints: splitting
        ? [{ in: file, out: 'app' }, ...PACKAGES.map((name) => ({ in: fileOf(name), out: name }))]
        : [{ in: file, out: 'app' }],
      bundle: true,
      splitting,
      minify,
      keepNames: minify,
      format: 'esm',
      platform: 'node',
      outdir: join(folder, 'out'),
      outExtension: { '.js': '.mjs' },
      plugins: [packages],
      // That of the repository maps the packages to their sources.
      tsconfigRaw: {},
    });
    const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'out', 'app.mjs')], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toContain('acquired at');
    const named = [...stdout.matchAll(/(?:at|called at) (\S+ )?\(?([\w-]+\.mjs):\d+/g)];
    expect(named.length).toBeGreaterThan(8);
    for (const [, within = '', of] of named) {
      expect([of, within.trim()]).toEqual([
        'app.mjs',
        within === '' ? '' : expect.toSatisfy((name: string) => OWN.includes(name)),
      ]);
    }
    for (const name of OWN) expect(stdout).toContain(name);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
