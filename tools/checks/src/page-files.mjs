// @ts-check
// What a package has for pages without a bundler: each import in dist/browser is the path of a file.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import ts from 'typescript';

/** Packages of others that lie beside the scope in an installation. */
const BESIDE = ['msgpackr'];

/**
 * @param {string} directory of a package, beside which the others lie as in an installation
 * @returns {string[]}
 */
export function pageProblems(directory) {
  const folder = join(directory, 'dist', 'browser');
  const files = existsSync(folder) ? readdirSync(folder) : [];
  const scope = dirname(directory);
  return files.flatMap((file) => {
    const where = `${basename(directory)}/dist/browser/${file}`;
    const { importedFiles } = ts.preProcessFile(readFileSync(join(folder, file), 'utf8'), true, true);
    return importedFiles.flatMap(({ fileName: path }) => {
      if (!path.startsWith('.')) return [`${where}: a page finds no file for ${path}`];
      // The facade lies beside the scope in an installation, and among the other packages here.
      const target = resolve(folder, path.replace('/@sluice/', '/'));
      const isBeside = BESIDE.some((name) => target.startsWith(join(dirname(scope), name) + sep));
      return isBeside || existsSync(target) ? [] : [`${where}: there is no ${path}`];
    });
  });
}
