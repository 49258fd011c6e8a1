// @ts-check
// pgbouncer in front of a server, which gives each transaction, or each client, a connection.
import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { findPooler } from './find.mjs';
import { freePort, USER } from './server.mjs';
import { giveTo, unprivileged } from './user.mjs';

const START_MS = 60_000;
const LOOK_MS = 10;

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Pooler {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  #program;
  #folder = mkdtempSync(join(tmpdir(), 'sluice-pooler-'));
  #atExit = () => void this.#child?.kill('SIGKILL');

  /**
   * @param {string} program
   * @param {number} port
   * @param {number} serverPort
   * @param {'transaction' | 'session'} mode
   */
  constructor(program, port, serverPort, mode) {
    this.#program = program;
    this.port = port;
    writeFileSync(
      join(this.#folder, 'pgbouncer.ini'),
      [
        '[databases]',
        `* = host=127.0.0.1 port=${serverPort} user=${USER}`,
        '[pgbouncer]',
        'listen_addr = 127.0.0.1',
        `listen_port = ${port}`,
        'unix_socket_dir =',
        'auth_type = any',
        `pool_mode = ${mode}`,
        'max_client_conn = 200',
        'default_pool_size = 10',
        '',
      ].join('\n'),
    );
    chmodSync(this.#folder, 0o755);
    giveTo(this.#folder);
  }

  get url() {
    return `postgres://${USER}@127.0.0.1:${this.port}/postgres`;
  }

  /** Starts the process, and waits until it listens. Also after `kill`. */
  async start() {
    const child = spawn(this.#program, ['pgbouncer.ini'], {
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...unprivileged(),
    });
    this.#child = child;
    let log = '';
    child.stderr.on('data', (chunk) => (log = (log + String(chunk)).slice(-4000)));
    child.unref();
    /** @type {{ unref?: () => void }} */ (child.stderr).unref?.();
    process.once('exit', this.#atExit);
    const end = performance.now() + START_MS;
    while (!/process up/.test(log)) {
      if (child.exitCode !== null || child.signalCode !== null || performance.now() > end)
        throw new Error(`pgbouncer on port ${this.port} did not start:\n${log}`);
      await sleep(LOOK_MS);
    }
  }

  /** Kills the process as a crash would, and waits until it is gone. */
  async kill() {
    const child = this.#child;
    if (child === undefined) return;
    child.kill('SIGKILL');
    while (child.exitCode === null && child.signalCode === null) await sleep(LOOK_MS);
    process.removeListener('exit', this.#atExit);
    this.#child = undefined;
  }

  async stop() {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/**
 * Starts pgbouncer in front of a server.
 * @param {number} serverPort
 * @param {'transaction' | 'session'} mode
 * @returns {Promise<Pooler>}
 */
export async function startPooler(serverPort, mode = 'transaction') {
  const program = findPooler();
  if (program === undefined) throw new Error('There is no pgbouncer.');
  const pooler = new Pooler(program, await freePort(), serverPort, mode);
  await pooler.start();
  return pooler;
}
