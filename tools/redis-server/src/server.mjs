// @ts-check
// One server process: loopback only, a port that was free, a folder of its own, ended by its process id.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { environmentOf, findProgram } from './find.mjs';

/** The limit of a start that hangs: the machine may be busy. */
const START_MS = 60_000;
const STOP_MS = 5_000;
const LOOK_MS = 10;
const TRIES = 5;

/**
 * @typedef {object} ServerOptions
 * @property {string[]} [args] further arguments, such as `['--appendonly', 'yes']`. Without any nothing is written to
 *   disk
 * @property {number} [port] default: one that is free
 * @property {string[]} [config] the lines of a configuration file, which a sentinel must have
 * @property {Record<string, string>} [env] further environment variables
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
  /** @type {import('./find.mjs').Program} */
  #program;
  #folder = mkdtempSync(join(tmpdir(), 'sluice-redis-'));
  #options;
  /** Ends the server with this process, however it ends. */
  #atExit = () => void this.#child?.kill('SIGKILL');

  /**
   * @param {import('./find.mjs').Program} program
   * @param {number} port
   * @param {ServerOptions} options
   */
  constructor(program, port, options) {
    this.#program = program;
    this.#options = options;
    this.port = port;
  }

  get url() {
    return `redis://127.0.0.1:${this.port}`;
  }

  get pid() {
    return this.#child?.pid;
  }

  /** Starts the process, and waits until it answers. Also after `kill`: files that it wrote are still there. */
  async start() {
    const { args = ['--save', '', '--appendonly', 'no'], env = {} } = this.#options;
    const all = [
      ...this.#configFile(),
      '--port',
      String(this.port),
      '--bind',
      '127.0.0.1',
      '--dir',
      this.#folder,
      '--daemonize',
      'no',
      ...args,
    ];
    const child = spawn(this.#program.command, all, {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: environmentOf(this.#program, env),
      cwd: this.#folder,
    });
    this.#child = child;
    let log = '';
    child.stdout.on('data', (chunk) => (log = (log + String(chunk)).slice(-4000)));
    child.unref();
    /** @type {{ unref?: () => void }} */ (child.stdout).unref?.();
    process.once('exit', this.#atExit);
    const end = performance.now() + START_MS;
    while (!(await this.#answers())) {
      if (child.exitCode !== null || child.signalCode !== null || performance.now() > end)
        throw new Error(`The server on port ${this.port} did not start:\n${log}`);
      await sleep(LOOK_MS);
    }
  }

  /** The file's name, first of the arguments. @returns {string[]} */
  #configFile() {
    const { config } = this.#options;
    if (config === undefined) return [];
    const file = join(this.#folder, 'server.conf');
    writeFileSync(file, `${config.join('\n')}\n`);
    return [file];
  }

  /** Sends a signal to the process. @param {NodeJS.Signals} signal */
  signal(signal) {
    this.#child?.kill(signal);
  }

  /** Kills the process as a crash would, and waits until it is gone. */
  async kill() {
    await this.#end('SIGKILL');
  }

  /** Ends the server, and removes what it wrote. */
  async stop() {
    await this.#end('SIGKILL');
    process.removeListener('exit', this.#atExit);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** @param {NodeJS.Signals} signal */
  async #end(signal) {
    const child = this.#child;
    if (child === undefined) return;
    child.kill(signal);
    const end = performance.now() + STOP_MS;
    while (child.exitCode === null && child.signalCode === null && performance.now() < end) await sleep(LOOK_MS);
    this.#child = undefined;
  }

  /**
   * Whether the server answers PING with PONG: while it loads its files it does not. The answer of another server, which
   * took the port first, does not count.
   * @returns {Promise<boolean>}
   */
  #answers() {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1');
      const end = (/** @type {boolean} */ answers) => {
        socket.destroy();
        resolve(answers);
      };
      socket.setTimeout(500, () => end(false));
      socket.once('error', () => end(false));
      socket.once('connect', () => socket.write('PING\r\nINFO server\r\n'));
      let answer = '';
      socket.on('data', (chunk) => {
        answer += String(chunk);
        if (answer.startsWith('-')) return end(answer.startsWith('-DENIED'));
        const id = /^process_id:(\d+)\r/m.exec(answer)?.[1];
        if (id !== undefined) end(answer.startsWith('+PONG') && Number(id) === this.pid);
      });
    });
  }
}

/**
 * Starts a server. Another process may take the free port first: then with another one.
 * @param {ServerOptions} options
 * @returns {Promise<Server>}
 */
export async function startServer(options = {}) {
  const program = options.program ?? findProgram();
  if (program.kind !== 'program') throw new Error(`There is no Redis server: ${program.why}.`);
  for (let tries = 1; ; tries++) {
    const server = new Server(program, options.port ?? (await freePort()), options);
    try {
      await server.start();
      return server;
    } catch (failure) {
      await server.stop();
      if (tries === TRIES || options.port !== undefined) throw failure;
    }
  }
}
