#!/usr/bin/env node
// @ts-check
// Runs the showcase example: `npm start`, `npm start -- DIR`. Arguments go to the example, and so does Ctrl-C.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process, { argv, cwd, env, execPath, exit, platform } from 'node:process';
import { root } from './workspace.mjs';

const example = join(root, 'examples', 'pack');

/** The example's own start script, which must be a plain `node FILE ARGS...`. */
function startArguments() {
  /** @type {{ scripts?: Record<string, string> }} */
  const manifest = JSON.parse(readFileSync(join(example, 'package.json'), 'utf8'));
  const [program, file, ...rest] = (manifest.scripts?.['start'] ?? '').split(' ');
  if (program !== 'node' || file === undefined) throw new Error(`${example}: "start" must read "node FILE"`);
  return [join(example, file), ...rest];
}

// On Ctrl-C the terminal signals the whole process group and npm passes the signal on as well, so one key press
// arrives here twice. The example runs in a group of its own and gets one signal for each burst.
const BURST_MS = 300;
const child = spawn(execPath, [...startArguments(), ...argv.slice(2)], {
  stdio: 'inherit',
  cwd: env['INIT_CWD'] ?? cwd(), // a DIR argument is relative to where the user stands
  detached: platform !== 'win32',
});

let last = -Infinity;
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    const now = performance.now();
    if (now - last > BURST_MS && platform !== 'win32') child.kill(signal);
    last = now;
  });
}

child.on('exit', (code, signal) => {
  if (signal === null) exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
