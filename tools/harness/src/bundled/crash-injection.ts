// In tests that ask for it, the kernel, the words of the memory and the parking are wrapped: docs/crash-injection.md.

import type { Plugin } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';

export interface CrashInjectionOptions {
  /** The core's package. */
  readonly core: string;
}

/** The module that is wrapped, and the function that wraps it. */
const WRAPPERS: Readonly<Record<string, string>> = {
  'src/kernel/kernel.ts': 'crashingKernels',
  'src/kernel/words.ts': 'crashingWords',
  'src/agent/parking.ts': 'crashingParking',
};
const NAMESPACE = 'crash-injection';

/** Whether the text of a test asks for it. */
export function isCrashTest(text: string): boolean {
  return /^import '[./a-z-]*\/support\/crash-injection\.ts';$/m.test(text);
}

export function crashInjection({ core }: CrashInjectionOptions): Plugin {
  const wrapperOf = (path: string): string | undefined => WRAPPERS[relative(core, path)];
  return {
    name: NAMESPACE,
    setup(bundler) {
      bundler.onResolve({ filter: /(^|\/)(kernel|words|parking)\.ts$/ }, ({ path, importer, namespace }) => {
        const target = resolve(dirname(importer), path);
        // The wrapper itself imports the module as it is.
        return namespace === NAMESPACE || wrapperOf(target) === undefined
          ? undefined
          : { path: target, namespace: NAMESPACE };
      });
      bundler.onLoad({ filter: /./, namespace: NAMESPACE }, async ({ path }) => {
        const wrapper = wrapperOf(path) ?? '';
        const names = [...(await readFile(path, 'utf8')).matchAll(/^export (?:function|class|const) (\w+)/gm)].map(
          ([, name]) => name,
        );
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
