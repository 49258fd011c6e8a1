// A process that a test kills and stops, and that does what the test says: obey.mjs.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { env, execPath } from 'node:process';

/** The limit of a wait that hangs. */
const LONGEST_MS = 110_000;

/** Waits until `isSo` returns true. Looks repeatedly, never after a fixed time. */
export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`It did not happen that ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

export class Member {
  readonly process: ChildProcess;
  readonly pid: number;
  /** The text that it has printed. */
  readonly lines: string[] = [];

  private constructor(process: ChildProcess) {
    this.process = process;
    this.pid = process.pid ?? 0;
    let rest = '';
    process.stdin?.on('error', () => undefined);
    process.stdout?.on('data', (chunk) => {
      const parts = (rest + String(chunk)).split('\n');
      rest = parts.pop() ?? '';
      this.lines.push(...parts);
    });
  }

  /** Starts a program, and waits until it is connected. */
  static async start(program: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<Member> {
    const process = spawn(execPath, [program, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...env, ...variables },
    });
    const member = new Member(process);
    await until(() => member.lines.includes('ready'), 'a process is ready');
    return member;
  }

  /** Tells it to do something. */
  say(line: string): void {
    this.process.stdin?.write(`${line}\n`);
  }

  /** Tells it something, and waits until it has printed what came of it. */
  async ask(what: string): Promise<string> {
    const before = this.lines.length;
    this.say(what);
    return this.answer(what, before);
  }

  async answer(what: string, from = 0): Promise<string> {
    const find = (): string | undefined => this.lines.slice(from).find((line) => line.startsWith(`${what} `));
    await until(() => find() !== undefined, `a process answers "${what}"`);
    return find()?.slice(what.length + 1) ?? '';
  }

  stop(): void {
    this.process.kill('SIGSTOP');
  }

  go(): void {
    this.process.kill('SIGCONT');
  }

  /** Kills it and waits until it has ended. */
  async end(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill('SIGKILL');
    await once(this.process, 'exit');
  }
}
