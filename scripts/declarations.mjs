#!/usr/bin/env node
// @ts-check
// Makes the declarations of a built package say everything once: `node scripts/declarations.mjs DIRECTORY...`.
//
// The bundler writes each declaration file twice, as an ES module and as CommonJS, with the same contents. Here the ES module's is replaced by
// a line that exports everything from the other one. Comments stay where an editor shows them to users: at what a public entry exports, at
// classes that others extend, and at options. All others are for readers of the sources.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { argv } from 'node:process';

/** Entries for the other packages of this workspace. */
const NOT_PUBLIC = new Set(['internal', 'kernel']);
const COMMENT = /\/\*\*[\s\S]*?\*\/\n?[ \t]*/g;
/** A declaration at the top level with the comment before it, up to the next one. */
const DECLARATION = /(?:^\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?^(declare abstract class|declare \w+|interface|type) (\w+)[\s\S]*?(?=^(?:\/\*\*|declare |interface |type |export |import )|$(?![\s\S]))/gm;

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
  const exported = open.flatMap((body) => [...textOf(body).matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, list = '']) => list.split(',')));
  const shown = new Set(exported.map((name) => name.trim().split(' ').at(-1)));
  for (const body of bodies) {
    const text = textOf(body).replace(DECLARATION, (all, /** @type {string} */ kind, /** @type {string} */ name) =>
      kind === 'declare abstract class' || shown.has(name) || name.endsWith('Options') ? all : all.replace(COMMENT, ''),
    );
    writeFileSync(join(dist, `${body}.d.cts`), text);
  }
  for (const file of readdirSync(dist)) if (file.endsWith('.d.ts')) rmSync(join(dist, file));
  for (const body of entries) writeFileSync(join(dist, `${body}.d.ts`), `export * from './${body}.cjs';\n`);
}

for (const directory of argv.slice(2)) compact(resolve(directory));
