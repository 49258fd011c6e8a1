// The projects of the recipes for pages, each with the packages as they are installed, and the bundlers that they need.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pnpm } from '../../../scripts/pnpm.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const web = fileURLToPath(new URL('../web', import.meta.url));
/** Every project lies in it, and so finds the packages above itself. */
const home = join(root, '.cache', 'bundlers');

const packages = join(root, 'packages');
const MANIFESTS = ['package.json', 'pnpm-lock.yaml'];

/** Takes some 20 s and half a gigabyte, once. */
export function installBundlers(): void {
  const wanted = MANIFESTS.map((name) => readFileSync(join(web, name), 'utf8')).join('');
  const stamp = join(home, 'installed');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home, { recursive: true });
    for (const name of MANIFESTS) cpSync(join(web, name), join(home, name));
    // Not as a part of the workspace around it.
    const { status, output } = pnpm(
      ['--dir', home, 'install', '--ignore-workspace', '--frozen-lockfile', '--prefer-offline'],
      'capture',
    );
    if (status !== 0) throw new Error(`The bundlers could not be installed:\n${output}`);
    writeFileSync(stamp, wanted);
  }
  for (const name of readdirSync(packages).filter((folder) => existsSync(join(packages, folder, 'dist')))) {
    const target = join(home, 'node_modules', ...(name === 'sluice' ? [] : ['@sluice']), name);
    rmSync(target, { recursive: true, force: true });
    for (const part of ['dist', 'package.json'])
      cpSync(join(packages, name, part), join(target, part), { recursive: true });
  }
}

/**
 * A fresh project.
 * @param folders whose files it has
 */
export function makeProject(name: string, folders: readonly string[]): string {
  const project = join(home, name);
  rmSync(project, { recursive: true, force: true });
  for (const folder of folders) cpSync(join(web, folder), project, { recursive: true });
  return project;
}

/** Puts the shared cases beside the sources of a project. */
export function addCases(project: string): void {
  cpSync(join(root, 'tools', 'cases', 'src'), join(project, 'src', 'cases'), { recursive: true });
}
