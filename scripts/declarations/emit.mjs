// @ts-check
// What the compiler declares for each source file. It reads all packages once, and checks nothing: `npm run typecheck`
// reads the same sources.
import { join, relative } from 'node:path';
import ts from 'typescript';
import { root } from '../workspace.mjs';
import { entriesOf } from './entries.mjs';

/** The ambient names of the kernel's numbers. */
const SCALARS = join(root, 'packages/core/src/kernel/scalars.d.ts');

/**
 * @param {readonly string[]} directories of packages
 * @returns {Map<string, string>} the declarations by source file
 */
export function emit(directories) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const rootNames = directories.flatMap((directory) =>
    entriesOf(directory).map(({ source }) => join(directory, 'src', `${source}.ts`)),
  );
  const program = ts.createProgram({
    rootNames: [...rootNames, SCALARS],
    options: { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true, noCheck: true },
  });
  /** @type {Map<string, string>} */
  const texts = new Map();
  for (const file of program.getSourceFiles()) {
    const { fileName, isDeclarationFile } = file;
    if (isDeclarationFile || !directories.some((directory) => !relative(directory, fileName).startsWith('..')))
      continue;
    const { diagnostics } = program.emit(file, (_, text) => texts.set(fileName, text));
    const [problem] = diagnostics;
    if (problem !== undefined)
      throw new Error(`${fileName}: ${ts.flattenDiagnosticMessageText(problem.messageText, '\n')}`);
  }
  return texts;
}
