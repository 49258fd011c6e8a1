// A program in a process of its own, on the built package, whose stderr a test reads while it runs.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A folder from which `--import @sluice/inspect/watchdog` leads to this package. */
const FOLDER = fileURLToPath(new URL('../../', import.meta.url));

const PRELOAD: readonly string[] = ['--import', '@sluice/inspect/watchdog'];

export class Child {
  readonly process: ChildProcess;
  stdout = '';
  stderr = '';
  readonly #exit: Promise<unknown[]>;

  /** `file`: in test/children. `seconds`: the value of the variable. */
  constructor(
    file: string,
    seconds?: string,
    preload = PRELOAD,
    args: readonly string[] = [],
    variable: 'SLUICE_VIEW' | 'SLUICE_WATCHDOG' | 'SLUICE_WHY' = 'SLUICE_WATCHDOG',
    more: Readonly<Record<string, string>> = {},
  ) {
    const path = fileURLToPath(new URL(file, new URL('../children/', import.meta.url)));
    this.process = spawn(process.execPath, [...preload, path, ...args], {
      cwd: FOLDER,
      env: { ...process.env, ...more, [variable]: seconds },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.#exit = once(this.process, 'close');
  }

  /** Resolves when stderr matches. Rejects with all output if the process ends before. */
  async says(pattern: RegExp): Promise<void> {
    await this.until(() => pattern.test(this.stderr), String(pattern));
  }

  /** Resolves when stdout has the text. */
  async prints(text: string): Promise<void> {
    await this.until(() => this.stdout.includes(text), text);
  }

  tell(text: string): void {
    this.process.stdin?.write(`${text}\n`);
  }

  /** The pages that the watchdog has written so far. */
  get pages(): string[] {
    return this.#pagesOf(/^Sluice watchdog, process \d+: /m);
  }

  /** The pages about foreign code. */
  get foreignPages(): string[] {
    return this.#pagesOf(/^Sluice why, process \d+: /m);
  }

  #pagesOf(head: RegExp): string[] {
    return this.stderr.split(head).slice(1);
  }

  /** Resolves with the exit code. */
  async ended(): Promise<number | null> {
    const [code] = await this.#exit;
    return code as number | null;
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.#exit;
  }

  /** Resolves when `isSo` returns true. `what`: for the error. */
  async until(isSo: () => boolean, what: string): Promise<void> {
    while (!isSo()) {
      const hasEnded = await Promise.race([this.#exit.then(() => true), pause(5, false)]);
      if (hasEnded && !isSo()) throw new Error(`The process ended before ${what}.\n${this.stdout}\n${this.stderr}`);
    }
  }
}
