#!/usr/bin/env node
// @ts-check
// Lists the places outside of a package that must name a package with primitives, and says which do not:
// `node scripts/package-places.mjs NAME`. Also prints the numbers that a new kind's outcomes may have.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process, { argv, stderr, stdout } from 'node:process';
import { pathToFileURL } from 'node:url';
import { filesBelow, root, workspacePackages } from './workspace.mjs';

/** The first number that a kind may use for its own outcomes. */
const FIRST_OF_KINDS = -32;
/** As many outcomes as most kinds have, and room for more. */
const RANGE = 8;
/** An outcome has no type annotation; other constants of a kernel have one. */
const OUTCOME = /^export const (\w+) = (-\d+);/gm;
const CODE = /kindCode\('(\w+)'\)/g;

/** @param {string} path */
function textOf(path) {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
}

/**
 * The sources of a package.
 * @param {string} name
 * @returns {string}
 */
function sourcesOf(name) {
  return filesBelow([join(root, 'packages', name, 'src')])
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}

/**
 * Each place that must name the package, and whether it does. One of several files is enough.
 * @param {string} name the folder in packages
 * @returns {{ place: string, isThere: boolean }[]}
 */
export function placesOf(name) {
  const scoped = `@sluice/${name}`;
  /** @type {{ sluice?: Record<string, unknown>, exports?: Record<string, unknown> }} */
  const manifest = JSON.parse(textOf(`packages/${name}/package.json`) || '{}');
  const facts = manifest.sluice ?? {};
  const sources = sourcesOf(name);
  /** @param {string[]} files @param {...string} texts one of which must be there */
  const place = (files, ...texts) => ({
    place: `${files.join(' or ')}: ${texts.join(' or ')}`,
    isThere: files.some((file) => texts.some((text) => textOf(file).includes(text))),
  });
  const codes = [...sources.matchAll(CODE)].map(([, code = '']) => code);
  return [
    ...['title', 'rank', 'nouns', 'sizes'].map((fact) => ({
      place: `packages/${name}/package.json: sluice.${fact}`,
      isThere: facts[fact] !== undefined,
    })),
    place(['.changeset/config.json'], `"${scoped}"`),
    place(['packages/sluice/package.json'], `"${scoped}"`),
    place(['packages/sluice/src/page.ts', 'packages/sluice/src/index.ts'], `'${scoped}'`),
    ...(manifest.exports?.['./js'] === undefined ? [] : [place(['packages/sluice/src/js.ts'], `'${scoped}/js'`)]),
    ...codes.map((code) => place(['packages/inspect/src/report/known-kinds.ts'], `  ${code}: '`)),
    place(['tools/soak/package.json'], `"${scoped}"`),
    place(['tools/soak/test/coverage.test.ts'], `'${scoped}'`),
    place(['tools/whole/package.json'], `"${scoped}"`),
    place(['tools/whole/test/samples.ts'], `packages/${name}/src`),
    place(['benchmarks/package.json'], `"${scoped}"`),
    place(['docs/choosing.md'], `packages/${name}/`),
    place(['docs/ARCHITECTURE.md'], `packages/${name}`),
  ];
}

/**
 * Returns the highest numbers that no outcome of any package has: the first and the last one.
 * @returns {readonly [number, number]}
 */
export function freeOutcomes() {
  const taken = new Set(
    workspacePackages(['packages']).flatMap(({ directory }) =>
      filesBelow([join(directory, 'src')])
        .filter((file) => file.endsWith('.ts'))
        .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(OUTCOME)].map(([, , value]) => Number(value))),
    ),
  );
  let first = FIRST_OF_KINDS;
  const isFree = () => Array.from({ length: RANGE }, (_, n) => first - n).every((value) => !taken.has(value));
  while (!isFree()) first -= RANGE;
  return [first, first - RANGE + 1];
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const [, , name = ''] = argv;
  if (!existsSync(join(root, 'packages', name, 'package.json')) || name === '') {
    stderr.write(`'${name}' is no folder in packages: type \`node scripts/package-places.mjs barrier\`.\n`);
    process.exit(1);
  }
  for (const { place, isThere } of placesOf(name)) stdout.write(`${isThere ? 'there  ' : 'MISSING'}  ${place}\n`);
  const [first, last] = freeOutcomes();
  stdout.write(`Numbers ${first} to ${last} are free for outcomes.\n`);
}
