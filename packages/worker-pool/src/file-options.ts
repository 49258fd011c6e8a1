// Files and names of functions, as options give them.

import { show } from '@sluice/core/internal';
import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { noWorkerFile } from './worker-file.ts';

export function checkName(name: unknown): string {
  if (typeof name === 'string' && name !== '') return name;
  throw new TypeError(`The name must be that of an export: received ${show(name)}`);
}

/** An absolute path, or a URL that is none of a file. Whether it can be loaded the first task says. */
export function checkFile(filename: unknown): string {
  if (filename instanceof URL) return filename.protocol === 'file:' ? checkThere(fileURLToPath(filename)) : filename.href;
  if (typeof filename !== 'string' || filename === '') throw new TypeError(`The filename must be a path or a URL: received ${show(filename)}`);
  if (filename.startsWith('file:')) return checkThere(fileURLToPath(filename));
  if (/^[a-z][a-z+.-]+:/i.test(filename)) return filename;
  return checkThere(isAbsolute(filename) ? filename : resolve(filename));
}

/** Throws `TypeError`, and `WorkerFileError` when there is no such file. */
export function checkWorkerUrl(url: unknown): URL | undefined {
  if (url === undefined) return undefined;
  const isUrl = url instanceof URL || (typeof url === 'string' && url.startsWith('file:'));
  if (isUrl && new URL(url).protocol !== 'file:') throw new TypeError(`workerUrl must be a path or a file: URL: received ${show(String(url))}`);
  if (!isUrl && (typeof url !== 'string' || url === '')) throw new TypeError(`workerUrl must be a path or a file: URL: received ${show(url)}`);
  const path = isUrl ? fileURLToPath(url) : resolve(url);
  if (!isFile(path)) throw noWorkerFile(path);
  return pathToFileURL(path);
}

function checkThere(path: string): string {
  if (isFile(path)) return path;
  throw new TypeError(`The filename must be that of a file: there is none at ${show(path)}`);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
