#!/usr/bin/env node
// @ts-check
// Makes the declarations of a built package say everything once: `node scripts/declarations.mjs DIRECTORY...`.
//
// The bundler writes each declaration file twice, as an ES module and as CommonJS, with the same contents. Here the ES module's is replaced by
// a line that exports everything from the other one. Declarations from which no public entry takes a name lose their comments: those are for
// people who read the sources.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { argv } from 'node:process';

/** Entries for the other packages of this workspace. */
const NOT_PUBLIC = new Set(['internal', 'kernel']);
const BLOCK_COMMENT = /\/\*\*[\s\S]*?\*\/\n?[ \t]*/g;

/** @param {string} file */
const bodyOf = (file) => file.slice(0, -'.d.cts'.length);

/** @param {string} directory */
function compact(directory) {
  const dist = join(directory, 'dist');
  const bodies = readdirSync(dist).filter((file) => file.endsWith('.d.cts')).map(bodyOf);
  const entries = bodies.filter((body) => existsSync(join(dist, `${body}.js`)));
  const open = entries.filter((body) => !NOT_PUBLIC.has(body));
  /** @param {string} body */
  const textOf = (body) => readFileSync(join(dist, `${body}.d.cts`), 'utf8');
  const read = new Set([...open, ...open.flatMap((body) => [...textOf(body).matchAll(/from '\.\/([^']*)\.cjs'/g)].map(([, from]) => from))]);
  for (const body of bodies) if (!read.has(body)) writeFileSync(join(dist, `${body}.d.cts`), textOf(body).replace(BLOCK_COMMENT, ''));
  for (const file of readdirSync(dist)) if (file.endsWith('.d.ts')) rmSync(join(dist, file));
  for (const body of entries) writeFileSync(join(dist, `${body}.d.ts`), `export * from './${body}.cjs';\n`);
}

for (const directory of argv.slice(2)) compact(resolve(directory));
