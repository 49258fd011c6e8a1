// A file system of a few megabytes, which a test can fill. Needs Linux and root.

import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { platform } from 'node:process';

const PIECE = new Uint8Array(4096).fill(1);

export class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Mounts one. Returns undefined if this user may not. */
  static mount(megabytes: number): SmallDisk | undefined {
    if (platform !== 'linux') return undefined;
    const folder = mkdtempSync(join(tmpdir(), 'sl-disk-'));
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
    if (status === 0) return new SmallDisk(folder);
    rmSync(folder, { recursive: true });
    return undefined;
  }

  /** Fills it with a file. Returns a function that removes the file. */
  fill(): () => void {
    const file = join(this.folder, 'filler');
    const descriptor = openSync(file, 'w');
    try {
      for (;;) writeSync(descriptor, PIECE);
    } catch (failure) {
      if ((failure as { code?: string }).code !== 'ENOSPC') throw failure;
    } finally {
      closeSync(descriptor);
    }
    return () => rmSync(file);
  }

  unmount(): void {
    spawnSync('umount', ['--lazy', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
