// In the bundle of a crash test, the kernel, the words of the memory and the parking are wrapped: docs/crash-injection.md.

import type { Plugin } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';

export interface CrashInjectionOptions {
  /** The core's package. */
  readonly core: string;
  /** Which test files are crash tests. */
  readonly entries: RegExp;
}

/** The module that is wrapped, and the function that wraps it. */
const WRAPPERS: Readonly<Record<string, string>> = {
  'src/kernel/kernel.ts': 'crashingKernels',
  'src/kernel/words.ts': 'crashingWords',
  'src/parking.ts': 'crashingParking',
};
const NAMESPACE = 'crash-injection';

export function crashInjection({ core, entries }: CrashInjectionOptions): Plugin {
  const wrapperOf = (path: string): string | undefined => WRAPPERS[relative(core, path)];
  return {
    name: NAMESPACE,
    setup(bundler) {
      const { entryPoints = [] } = bundler.initialOptions;
      if (!Array.isArray(entryPoints) || !entryPoints.some((entry) => typeof entry === 'string' && entries.test(entry))) return;
      bundler.onResolve({ filter: /(^|\/)(kernel|words|parking)\.ts$/ }, ({ path, importer, namespace }) => {
        const target = resolve(dirname(importer), path);
        // The wrapper itself imports the module as it is.
        return namespace === NAMESPACE || wrapperOf(target) === undefined ? undefined : { path: target, namespace: NAMESPACE };
      });
      bundler.onLoad({ filter: /./, namespace: NAMESPACE }, async ({ path }) => {
        const wrapper = wrapperOf(path) ?? '';
        const names = [...(await readFile(path, 'utf8')).matchAll(/^export (?:function|class|const) (\w+)/gm)].map(([, name]) => name);
        const contents = [
          `import * as actual from ${JSON.stringify(path)};`,
          `import { ${wrapper} } from ${JSON.stringify(resolve(core, 'test/support/crash.ts'))};`,
          `export const { ${names.join(', ')} } = ${wrapper}(actual);`,
        ];
        return { contents: contents.join('\n'), loader: 'js', resolveDir: dirname(path) };
      });
    },
  };
}
