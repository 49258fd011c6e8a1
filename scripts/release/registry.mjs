// @ts-check
// A registry on this machine: verdaccio, fetched for the purpose. It has the packages of this family, and fetches all
// others from the configured registry.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import process, { execPath } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { FACADE } from '../workspace.mjs';
import { npm } from './command.mjs';

const VERDACCIO = '6.1.2'; // of those that run on Node.js 20
const MAX_START_MS = 90_000;
/** The registry ends when its standard input does, and so even when this process is killed. */
const ENDS_WITH_US = 'data:text/javascript,process.stdin.resume().on("end",()=>process.exit())';

/** @returns {Promise<number>} */
const freePort = () =>
  new Promise((settle, fail) => {
    const server = createServer().once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => settle(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

/**
 * @param {string} folder
 * @returns {string} the file that starts verdaccio
 */
function fetchVerdaccio(folder) {
  // It asks for node-fetch by the tag `cjs`, which not every mirror keeps.
  const manifest = { private: true, dependencies: { verdaccio: VERDACCIO }, overrides: { 'node-fetch': '2.7.0' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  npm(['install', '--ignore-scripts', '--no-package-lock', '--prefer-offline'], folder);
  return join(folder, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
}

/** @param {string} folder */
function configure(folder) {
  const config = {
    storage: './storage',
    auth: { htpasswd: { file: './htpasswd', max_users: -1 } },
    web: { enable: false },
    uplinks: { configured: { url: npm(['config', 'get', 'registry'], folder).trim() } },
    packages: {
      '@sluice/*': { access: '$all', publish: '$all' },
      [FACADE]: { access: '$all', publish: '$all' },
      '**': { access: '$all', proxy: 'configured' },
    },
    log: { type: 'stdout', format: 'pretty', level: 'warn' },
  };
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config)); // JSON is YAML
}

/**
 * @param {string} scratch
 * @returns {Promise<{ url: string, stop: () => void }>}
 */
export async function startRegistry(scratch) {
  const folder = join(scratch, 'registry');
  mkdirSync(folder);
  const bin = fetchVerdaccio(folder);
  configure(folder);
  const url = `http://127.0.0.1:${await freePort()}`;
  const log = openSync(join(folder, 'log'), 'w');
  const args = ['--import', ENDS_WITH_US, bin, '--config', join(folder, 'config.yaml'), '--listen', url];
  const child = spawn(execPath, args, { cwd: folder, stdio: ['pipe', log, log] });
  closeSync(log);
  const stop = () => void child.kill('SIGKILL');
  process.once('exit', stop);

  const deadline = performance.now() + MAX_START_MS;
  while (!(await answers(url))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      stop();
      throw new Error(`verdaccio did not start\n${readFileSync(join(folder, 'log'), 'utf8')}`);
    }
    await sleep(200);
  }
  return { url, stop };
}

/** @param {string} url */
const answers = (url) =>
  fetch(`${url}/-/ping`, { signal: AbortSignal.timeout(5000) }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * @param {string} url
 * @param {string} tarball
 */
export function publish(url, tarball) {
  const token = `--${url.slice('http:'.length)}/:_authToken=none`; // npm wants one, this registry takes any
  npm(
    ['publish', tarball, `--registry=${url}`, token, '--access', 'public', '--provenance=false', '--ignore-scripts'],
    join(tarball, '..'),
  );
}
