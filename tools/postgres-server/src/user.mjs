// @ts-check
// The user whose processes the servers are: they refuse to run as root.
import { spawnSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { geteuid } from 'node:process';

/** @param {string} name @param {'-u' | '-g'} what @returns {number | undefined} */
function idOf(name, what) {
  const { status, stdout } = spawnSync('id', [what, name], { encoding: 'utf8' });
  return status === 0 ? Number(stdout) : undefined;
}

/**
 * What `spawn` needs to start a process that is not root's. Empty if this one is not.
 * @returns {{ uid?: number, gid?: number }}
 */
export function unprivileged() {
  if (geteuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = [idOf(name, '-u'), idOf(name, '-g')];
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error('There is no user postgres or nobody to run the server.');
}

/** Gives a file or folder to the user. @param {string} path */
export function giveTo(path) {
  const { uid, gid } = unprivileged();
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}
