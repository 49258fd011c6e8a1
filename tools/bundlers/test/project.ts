// A project with the packages as they are installed, and what its server prints.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';

const PACKAGES = ['core', 'bounded-buffer', 'mutex', 'worker-pool'];
const packages = fileURLToPath(new URL('../../../packages', import.meta.url));
const app = fileURLToPath(new URL('app', import.meta.url));
const MAX_MS = 15_000;

export interface Printed {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Project {
  /** The folder with the sources and `node_modules`. */
  readonly root = mkdtempSync(join(tmpdir(), 'sluice-bundlers-'));

  constructor() {
    cpSync(app, this.root, { recursive: true });
    for (const name of PACKAGES) {
      const target = join(this.root, 'node_modules', '@sluice', name);
      mkdirSync(target, { recursive: true });
      for (const part of ['dist', 'package.json'])
        cpSync(join(packages, name, part), join(target, part), { recursive: true });
    }
  }

  path(...parts: string[]): string {
    return join(this.root, ...parts);
  }

  /** Runs a file of the build where no package can be found: the build is moved out of the project first. */
  run(build: string, type: 'module' | 'commonjs', file: string, ...args: string[]): Printed {
    const away = mkdtempSync(join(tmpdir(), 'sluice-bundle-'));
    try {
      renameSync(this.path(build), join(away, 'app'));
      writeFileSync(join(away, 'app', 'package.json'), JSON.stringify({ type }));
      return run(join(away, 'app', file), args);
    } finally {
      rmSync(away, { recursive: true });
    }
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }
}

/** In the file's own folder. */
export function run(file: string, args: readonly string[]): Printed {
  const { status, stdout, stderr } = spawnSync(execPath, [file, ...args], {
    encoding: 'utf8',
    timeout: MAX_MS,
    killSignal: 'SIGKILL',
    cwd: dirname(file),
  });
  return { code: status, stdout, stderr };
}
