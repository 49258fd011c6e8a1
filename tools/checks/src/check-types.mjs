#!/usr/bin/env node
// @ts-check
// Declarations as a user's compiler sees them: with nothing skipped, as an ES module and as CommonJS.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { root, workspacePackages } from '../../../scripts/workspace.mjs';
import { report } from './report.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'sluice-types-'));
try {
  const published = workspacePackages(['packages']).filter(({ manifest }) => manifest.private !== true);
  mkdirSync(join(scratch, 'node_modules', '@sluice'), { recursive: true });
  mkdirSync(join(scratch, 'node_modules', '@types'));
  symlinkSync(join(root, 'node_modules', '@types', 'node'), join(scratch, 'node_modules', '@types', 'node'), 'dir');
  for (const { directory, manifest } of published) symlinkSync(directory, join(scratch, 'node_modules', manifest.name), 'dir');
  const text = published.map(({ manifest }, index) => `export * as p${index} from '${manifest.name}';`).join('\n');
  const files = ['user.mts', 'user.cts'].map((file) => join(scratch, file));
  for (const file of files) writeFileSync(file, text);
  const options = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2022', '--module', 'nodenext'];
  const libraries = ['--lib', 'es2024,esnext.disposable', '--types', 'node'];
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status, stdout } = spawnSync(execPath, [tsc, ...options, ...libraries, ...files], { cwd: scratch, encoding: 'utf8' });
  report(`types: ${published.length} packages, as ES modules and as CommonJS`, status === 0 ? [] : [stdout]);
} finally {
  rmSync(scratch, { recursive: true });
}
