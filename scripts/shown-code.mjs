#!/usr/bin/env node
// @ts-check
// Writes the code that documents show from files of the repository: `node scripts/shown-code.mjs`. check-docs compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stdout } from 'node:process';
import { withShownCode } from '../tools/checks/src/shown-code.mjs';
import { filesBelow, root } from './workspace.mjs';

for (const file of filesBelow([root])) {
  if (!file.endsWith('.md') || relative(root, file).startsWith('.')) continue;
  const text = readFileSync(file, 'utf8');
  const written = withShownCode(text);
  if (written === text) continue;
  writeFileSync(file, written);
  stdout.write(`${relative(root, file)}\n`);
}
