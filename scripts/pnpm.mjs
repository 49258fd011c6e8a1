#!/usr/bin/env node
// @ts-check
// Runs pnpm with the given arguments: the one on PATH if its major fits the lockfile, else a pinned one through npx.
import { spawnSync } from 'node:child_process';
import { argv, env, exit, platform } from 'node:process';
import { pathToFileURL } from 'node:url';

const MAJOR = '10';
const PINNED = 'pnpm@10.34.9';
const shell = platform === 'win32'; // npx and pnpm are .cmd files there

/** @returns {string[]} the command that starts pnpm, without its arguments */
function command() {
  const probe = spawnSync('pnpm', ['--version'], { encoding: 'utf8', shell });
  const fits = probe.status === 0 && probe.stdout.trim().split('.')[0] === MAJOR;
  return fits ? ['pnpm'] : ['npx', '--yes', PINNED];
}

/**
 * @param {string[]} args
 * @param {'inherit' | 'capture'} output
 * @returns {{ status: number, output: string }}
 */
export function pnpm(args, output = 'inherit') {
  const [file = 'pnpm', ...first] = command();
  const result = spawnSync(file, [...first, ...args], {
    stdio: output === 'inherit' ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell,
    // npx asks the registry for a newer npm and prints about it; neither helps here.
    env: { ...env, npm_config_update_notifier: 'false' },
  });
  if (result.error) throw result.error;
  return { status: result.status ?? 1, output: output === 'inherit' ? '' : result.stdout + result.stderr };
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) exit(pnpm(argv.slice(2)).status);
