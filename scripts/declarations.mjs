#!/usr/bin/env node
// @ts-check
// Writes the declarations of built packages: `node scripts/declarations.mjs DIRECTORY...`.
//
// An editor that follows a name opens one of these files, so each has the name and the subject of one source file, and
// nothing that a user cannot use. tsup would bundle all declarations of an entry into one file with a hash in its name.
// `tsc` alone repeats each file for CommonJS, with ambient names that a user's compiler does not know. So:
//   - A source file has one declaration file, and each public class one with its own name. Errors share one.
//   - What only the entries for other packages reach is in `file.internal.d.cts`. What no entry reaches is left out.
//   - A class that can have no subclass outside its package shows no protected members. Base classes of `internal` keep
//     theirs, but not as `abstract`: the compiler would otherwise miss the members that the subclasses hide.
//   - Each `.d.ts` of an entry is one line that exports the `.d.cts`: a class is one type for ES modules and CommonJS.
//   - There are no declaration maps: tarballs contain no sources.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { argv } from 'node:process';
import { emit } from './declarations/emit.mjs';
import { entriesOf } from './declarations/entries.mjs';
import { readModules } from './declarations/module.mjs';
import { reachable } from './declarations/reach.mjs';
import { print } from './declarations/print.mjs';

const directories = argv.slice(2).map((directory) => resolve(directory));
const texts = emit(directories);

for (const directory of directories) {
  const entries = entriesOf(directory);
  const modules = readModules(join(directory, 'src'), texts, entries);
  const shown = reachable(
    modules,
    entries.filter(({ isPublic }) => isPublic).map(({ source: file }) => file),
  );
  const all = reachable(
    modules,
    entries.map(({ source: file }) => file),
  );
  const files = print({ modules, entries, shown, all });

  const dist = join(directory, 'dist');
  rmSync(join(dist, 'types'), { recursive: true, force: true });
  for (const file of readdirSync(dist)) if (/\.d\.c?ts$/.test(file)) rmSync(join(dist, file));
  for (const [name, text] of files) {
    const path = join(dist, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  // Both module systems share the declarations, so that a class is one type for both.
  for (const { name } of entries) writeFileSync(join(dist, `${name}.d.ts`), `export * from './${name}.cjs';\n`);
}
