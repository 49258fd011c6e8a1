// The folder of a namespace: where it is, its rights, and how it begins.

import { show } from '@sluice/core/calls';
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process, { env, platform } from 'node:process';
import { LocalError } from './errors.ts';
import { FIRST_TOKEN, tokenName } from './claim.ts';
import { failedWith } from './failed-with.ts';

/** The longest path of a socket, without the byte that ends it. */
const MAX_SOCKET_PATH = platform === 'darwin' ? 103 : 107;

export interface NamespaceFolder {
  readonly path: string;
  /** The rights of the files in it. */
  readonly fileMode: number;
}

/** A name for a member that no other member has or had. */
export function newMember(): string {
  return randomBytes(8).toString('hex');
}

/**
 * Returns the folder of a namespace, which `makeFolder` makes. `path`: the parent folder that the program has chosen,
 * with its own rights. Without `path`, makes the parent folder of this user if it does not exist.
 */
export function folderOf(namespace: string, path: string | undefined): NamespaceFolder {
  const parent = path === undefined ? ownFolder() : resolve(path);
  const folder = join(parent, createHash('sha256').update(namespace).digest('hex').slice(0, 16));
  const shared = path !== undefined;
  if (platform !== 'win32' && Buffer.byteLength(join(folder, `${newMember()}.sock`)) > MAX_SOCKET_PATH)
    throw new RangeError(
      `The folder ${show(parent)} has too long a path: the path of a socket in it may have at most ${MAX_SOCKET_PATH} bytes. Choose a shorter path.`,
    );
  return { path: folder, fileMode: shared ? 0o666 : 0o600 };
}

/** Makes the folder of the namespace, with the first token in it, if it does not exist. */
export function makeFolder({ path: folder, fileMode }: NamespaceFolder): void {
  const parent = join(folder, '..');
  const shared = fileMode === 0o666;
  try {
    if (isThere(folder)) return;
    const draft = mkdtempSync(join(parent, 'new-'));
    if (shared) chmodSync(draft, 0o777 & (lstatSync(parent).mode & 0o777));
    writeFileSync(join(draft, tokenName(FIRST_TOKEN)), '', { mode: fileMode });
    try {
      // The folder appears with its token. If another process was first, this fails, because its folder is not empty.
      renameSync(draft, folder);
    } catch (failure) {
      rmSync(draft, { recursive: true, force: true });
      if (!failedWith(failure, 'ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES') || !isThere(folder)) throw failure;
    }
  } catch (cause) {
    throw folderError(parent, cause);
  }
}

/** The error for a folder that cannot be used. */
export function folderError(folder: string, cause: unknown): LocalError {
  if (cause instanceof LocalError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new LocalError(
    `The folder '${folder}' cannot be used: ${why}. Choose another one with the option path, or with XDG_RUNTIME_DIR.`,
    { cause },
  );
}

function isThere(folder: string): boolean {
  return lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
}

/** The folder of this user: in XDG_RUNTIME_DIR, else in the folder for temporary files. Only the user may enter it. */
function ownFolder(): string {
  const runtime = env['XDG_RUNTIME_DIR'];
  const uid = process.getuid?.();
  const folder =
    runtime !== undefined && runtime !== ''
      ? join(runtime, 'sluice')
      : join(tmpdir(), uid === undefined ? 'sluice' : `sluice-${uid}`);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (failure) {
    if (!failedWith(failure, 'EEXIST')) throw folderError(folder, failure);
  }
  const found = lstatSync(folder);
  // Another user may have made it in a folder for all users.
  if (!found.isDirectory() || (uid !== undefined && (found.uid !== uid || (found.mode & 0o077) !== 0)))
    throw new LocalError(
      `The folder '${folder}' is not a folder that only this user may enter (owner ${found.uid}, mode ${(found.mode & 0o777).toString(8)}). Remove it, or choose another one with the option path.`,
    );
  return folder;
}
