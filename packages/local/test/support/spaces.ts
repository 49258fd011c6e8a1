// Spaces of one test, in a folder of its own.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type ConnectOptions, type Space } from '@sluice/local';
import { afterEach } from 'vitest';

const spaces: Space[] = [];
const folders: string[] = [];

/** A folder that goes after the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sl-'));
  folders.push(folder);
  return folder;
}

/** Opens spaces of one namespace. They are closed after the test. */
export function makeOpen(folder = makeFolder()): (options?: Partial<ConnectOptions>) => Promise<Space> {
  return async (options = {}) => {
    const space = await connect({ namespace: 'test', path: folder, ...options });
    spaces.push(space);
    return space;
  };
}

afterEach(async () => {
  await Promise.all(spaces.splice(0).map((space) => space.close()));
  for (const folder of folders.splice(0)) {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true, force: true });
  }
});
