// Checks which files the entries of the package load, with the bundler that builds them.

import { build, type Metafile } from 'esbuild';
import { expect, test } from 'vitest';
import { fileURLToPath } from 'node:url';

/** The files of src/kernel without steps: constants, memory and the embedded WebAssembly. */
const SHARED = ['addresses', 'kernel', 'lane-order', 'layout', 'states', 'unpack-wasm', 'wasm.generated', 'words'];
const root = fileURLToPath(new URL('..', import.meta.url));

/** Bundles the entries, split as in tsup.config.ts. */
async function bundle(): Promise<Metafile> {
  const entryPoints = ['index', 'internal', 'js'].map((name) => `src/${name}.ts`);
  const options = {
    bundle: true,
    splitting: true,
    format: 'esm',
    minifySyntax: true,
    write: false,
    metafile: true,
  } as const;
  const { metafile } = await build({ ...options, entryPoints, absWorkingDir: root, outdir: 'dist' });
  return metafile;
}

/** Returns the files of src/kernel with code in an output or in the outputs that it imports. */
function kernelFiles({ outputs }: Metafile, output: string, seen = new Set<string>()): string[] {
  const found = outputs[output];
  if (found === undefined || seen.has(output)) return [];
  seen.add(output);
  const own = Object.entries(found.inputs).flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 ? [/^src\/kernel\/(.*)\.ts$/.exec(file)?.[1] ?? ''] : [],
  );
  return [
    ...own.filter((name) => name !== ''),
    ...found.imports.flatMap(({ path }) => kernelFiles({ outputs, inputs: {} }, path, seen)),
  ];
}

test('the entries @sluice/core and @sluice/core/internal load no kernel step in TypeScript', async () => {
  const made = await bundle();
  for (const entry of ['dist/index.js', 'dist/internal.js']) {
    const files = kernelFiles(made, entry);
    expect(files).toContain('wasm.generated');
    expect(files.filter((name) => !SHARED.includes(name))).toEqual([]);
  }
});

test('the entry @sluice/core/js loads every kernel step, and no file of it is in two outputs', async () => {
  const made = await bundle();
  expect(kernelFiles(made, 'dist/js.js')).toEqual(
    expect.arrayContaining(['walk', 'cancel-wait', 'recovery-steps', 'reference']),
  );
  const all = Object.values(made.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([file]) => file),
  );
  expect(new Set(all).size).toBe(all.length);
});
