#!/usr/bin/env node
// @ts-check
// Says which browsers are missing. `--install`: first installs them where that needs no question: as root, with apt.
// The exit code is 0.
import { spawnSync } from 'node:child_process';
import { argv, env, getuid, stderr } from 'node:process';
import { howToInstall, installCommand, missing } from './installed.mjs';

const MAX_MS = 300_000;

/** @param {readonly string[]} command */
function quietly([program = '', ...args]) {
  const options = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, timeout: MAX_MS };
  return spawnSync(program, args, { ...options, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

const wanted = missing();
if (wanted.length > 0 && argv.includes('--install') && getuid?.() === 0) {
  quietly(['apt-get', 'update']);
  const { status, error, stderr: said } = quietly(installCommand(wanted));
  if (status !== 0) stderr.write(`The browsers could not be installed: ${error?.message ?? said.trim()}\n`);
}
const absent = missing();
if (absent.length > 0) stderr.write(`\n${howToInstall(absent)}\n\n`);
