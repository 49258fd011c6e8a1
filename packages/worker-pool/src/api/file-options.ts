// Checks of files and function names in options.

import { show } from '@sluice/core/calls';
import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { noWorkerFile } from './errors.ts';

export function checkName(name: unknown): string {
  if (typeof name === 'string' && name !== '') return name;
  throw new TypeError(`The name must be the name of an export: received ${show(name)}`);
}

/** Returns an absolute path. Throws `TypeError`, and `WorkerFileError` if there is no such file. */
export function checkWorkerUrl(url: unknown): string | undefined {
  if (url === undefined) return undefined;
  const text = isUrl(url) ? url.href : url;
  if (typeof text !== 'string' || text === '' || (text !== url && !text.startsWith('file:'))) {
    throw new TypeError(`workerUrl must be a path or a file: URL: received ${show(text)}`);
  }
  const path = text.startsWith('file:') ? fileURLToPath(text) : resolve(text);
  if (!isFile(path)) throw noWorkerFile(path);
  return path;
}

/**
 * Returns an absolute path, or a URL other than `file:`. Such a URL is not loaded before the first task. Throws
 * `TypeError`.
 */
export function checkFile(filename: unknown): string {
  const text = isUrl(filename) ? filename.href : filename;
  if (typeof text !== 'string' || text === '')
    throw new TypeError(`The filename must be a path or a URL: received ${show(text)}`);
  if (text.startsWith('file:')) return checkThere(fileURLToPath(text));
  if (/^[a-z][a-z+.-]+:/i.test(text)) return text;
  return checkThere(isAbsolute(text) ? text : resolve(text));
}

/** A `URL` of any realm: jsdom has a class of its own. */
function isUrl(value: unknown): value is { readonly href: string } {
  return typeof value === 'object' && value !== null && typeof (value as { readonly href?: unknown }).href === 'string';
}

function checkThere(path: string): string {
  if (isFile(path)) return path;
  throw new TypeError(`There is no task file at ${show(path)}`);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
