// @ts-check
// What a clone of the repository contains. A link to anything else would be dead at the origin.
import { posix } from 'node:path';
import { root } from '../workspace.mjs';
import { run } from './command.mjs';

/** @returns {(path: string) => 'file' | 'folder' | undefined} */
export function repositoryKinds() {
  const files = new Set(run('git', ['ls-files', '-z'], root).split('\0'));
  /** @type {Set<string>} */
  const folders = new Set();
  for (const file of files) {
    for (let folder = posix.dirname(file); !folders.has(folder); folder = posix.dirname(folder)) folders.add(folder);
  }
  return (path) => (files.has(path) ? 'file' : folders.has(path) ? 'folder' : undefined);
}

/** Whether the working tree differs from the last commit. */
export const isDirty = () => run('git', ['status', '--porcelain'], root).trim() !== '';
