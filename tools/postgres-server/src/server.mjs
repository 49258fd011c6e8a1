// @ts-check
// One server: loopback only, a port that was free, a folder of its own, ended by its process id.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { findProgram } from './find.mjs';
import { giveTo, unprivileged } from './user.mjs';

/** The limit of a start that hangs: the machine may be busy. */
const START_MS = 120_000;
const LOOK_MS = 10;
const TRIES = 5;
export const USER = 'sluice';

/**
 * @typedef {object} ServerOptions
 * @property {string[]} [args] further settings, such as `['-c', 'fsync=on']`
 * @property {number} [port] default: one that is free
 * @property {import('./find.mjs').Program} [program] default: the one that `findProgram` finds
 */

/** @param {number} ms */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** A port of the loopback interface that was free a moment ago. @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

export class Server {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  #program;
  #folder = mkdtempSync(join(tmpdir(), 'sluice-postgres-'));
  #args;
  /** Ends the server with this process, however it ends. */
  #atExit = () => {
    // At SIGQUIT it ends its processes, too.
    this.#child?.kill('SIGQUIT');
  };

  /**
   * @param {import('./find.mjs').Program} program
   * @param {number} port
   * @param {string[]} args
   * @param {Server} [primary] default: a server with data of its own
   */
  constructor(program, port, args, primary) {
    this.#program = program;
    this.#args = args;
    this.port = port;
    giveTo(this.#folder);
    if (primary === undefined)
      this.#do('initdb', '--username', USER, '--auth', 'trust', '--locale', 'C', '--encoding', 'UTF8', '--no-sync');
    else
      this.#do('pg_basebackup', '--dbname', primary.url, '--write-recovery-conf', '--checkpoint', 'fast', '--no-sync');
  }

  /** Runs a program on the data. @param {string} name @param {string[]} args */
  #do(name, ...args) {
    const { status, stderr, error } = spawnSync(join(this.#program.folder, name), ['--pgdata', 'data', ...args], {
      cwd: this.#folder,
      encoding: 'utf8',
      ...unprivileged(),
    });
    if (status !== 0) throw new Error(`${name} failed: ${error?.message ?? stderr}`);
  }

  /** Makes a standby the primary server. */
  promote() {
    this.#do('pg_ctl', 'promote', '--silent');
  }

  get url() {
    return `postgres://${USER}@127.0.0.1:${this.port}/postgres`;
  }

  get pid() {
    return this.#child?.pid;
  }

  /** Starts the process, and waits until it answers. Also after `kill` and `halt`: what was committed is still there. */
  async start() {
    const end = performance.now() + START_MS;
    // The processes of a killed server may still end.
    for (;;) {
      const log = await this.#startOnce(end);
      if (log === '') return;
      if (!/still in use|lock file/.test(log) || performance.now() > end)
        throw new Error(`The server on port ${this.port} did not start:\n${log}`);
      await sleep(LOOK_MS);
    }
  }

  /** @param {number} end @returns {Promise<string>} its output if it did not start */
  async #startOnce(end) {
    const settings = {
      listen_addresses: '127.0.0.1',
      port: this.port,
      unix_socket_directories: this.#folder,
      shared_buffers: '16MB',
      max_connections: 100,
      fsync: 'off',
      // Tests compare times of this process with times of the server.
      log_timezone: 'UTC',
      jit: 'off',
    };
    const child = spawn(
      join(this.#program.folder, 'postgres'),
      ['-D', 'data', ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]), ...this.#args],
      { cwd: this.#folder, stdio: ['ignore', 'ignore', 'pipe'], ...unprivileged() },
    );
    this.#child = child;
    let log = '';
    child.stderr.on('data', (chunk) => (log = (log + String(chunk)).slice(-4000)));
    child.unref();
    /** @type {{ unref?: () => void }} */ (child.stderr).unref?.();
    process.once('exit', this.#atExit);
    // A standby accepts connections that read.
    while (!/ready to accept (read.only )?connections/.test(log)) {
      if (child.exitCode !== null || child.signalCode !== null || performance.now() > end) return log;
      await sleep(LOOK_MS);
    }
    return '';
  }

  /** Sends a signal to the process. @param {NodeJS.Signals} signal */
  signal(signal) {
    this.#child?.kill(signal);
  }

  /** Kills the process as a crash would, and waits until it is gone. Its processes notice, and end by themselves. */
  async kill() {
    await this.#end('SIGKILL');
  }

  /** Stops the server in order, and ends all connections. */
  async halt() {
    await this.#end('SIGINT');
  }

  /** Ends the server, and removes what it wrote. */
  async stop() {
    await this.#end('SIGQUIT');
    process.removeListener('exit', this.#atExit);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }

  /** @param {NodeJS.Signals} signal */
  async #end(signal) {
    const child = this.#child;
    if (child === undefined) return;
    child.kill(signal);
    while (child.exitCode === null && child.signalCode === null) await sleep(LOOK_MS);
    process.removeListener('exit', this.#atExit);
    this.#child = undefined;
  }
}

/**
 * Starts a server. Another process may take the free port first: then with another one.
 * @param {ServerOptions} options
 * @returns {Promise<Server>}
 */
export async function startServer(options = {}) {
  const program = options.program ?? findProgram();
  if (program.kind !== 'program') throw new Error(`There is no Postgres server: ${program.why}.`);
  for (let tries = 1; ; tries++) {
    const server = new Server(program, options.port ?? (await freePort()), options.args ?? []);
    try {
      await server.start();
      return server;
    } catch (failure) {
      await server.stop();
      if (tries === TRIES || options.port !== undefined) throw failure;
    }
  }
}

/**
 * Starts a standby of a server, which follows it.
 * @param {Server} primary
 * @param {ServerOptions} options
 * @returns {Promise<Server>}
 */
export async function startStandby(primary, options = {}) {
  const program = options.program ?? findProgram();
  if (program.kind !== 'program') throw new Error(`There is no Postgres server: ${program.why}.`);
  const server = new Server(program, await freePort(), options.args ?? [], primary);
  await server.start();
  return server;
}
