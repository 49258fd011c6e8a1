// Lets one entry of a package import another one as it was built.
//
// An entry that contained a copy of the other one would have classes and state of its own.

import type { Options } from 'tsup';

type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number];

/** An import of the entry's source becomes an import of its built file: of the `.cjs` file in CommonJS. */
export function builtEntry(name: string): EsbuildPlugin {
  return {
    name: `built-${name}`,
    setup(build) {
      // Not `initialOptions.format`: Rollup makes the CommonJS files, from ES modules.
      const isCommonJs = build.initialOptions.define?.TSUP_FORMAT === '"cjs"';
      build.onResolve({ filter: new RegExp(`^\\./${name}\\.ts$`) }, () => ({
        path: `./${name}.${isCommonJs ? 'cjs' : 'js'}`,
        external: true,
      }));
    },
  };
}
