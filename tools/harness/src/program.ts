// Runs a program of the repository as its users run it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { env, execPath } from 'node:process';
import { expect, test } from 'vitest';

export interface Finished {
  readonly code: number | null;
  /** The signal that has ended the program. */
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  /** Called with everything printed so far, after each print. */
  readonly onOutput?: (stdout: string, kill: (signal: NodeJS.Signals) => void) => void;
  /** Flags for Node.js. */
  readonly flags?: readonly string[];
  /** The user that the program runs as. */
  readonly identity?: { readonly uid?: number; readonly gid?: number };
  /** Environment variables besides those of the test. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Runs `main` until it ends. */
export function runProgram(main: string, args: readonly string[], options: ProgramOptions = {}): Promise<Finished> {
  const { onOutput, flags = [], identity, variables } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(execPath, [...flags, main, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...env, ...variables },
      ...identity,
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk);
      onOutput?.(stdout, (signal) => void child.kill(signal));
    });
    child.stderr.on('data', (chunk) => (stderr += String(chunk)));
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

/** What the page of a program's live view gets. */
export interface ViewedFrame {
  readonly arena?: { readonly primitives: readonly { readonly kind: string; readonly name: string }[] };
}

/** Runs `main` until its live view shows a primitive, and returns that frame. `main` prints the URL to stderr. */
export async function viewOf(main: string, args: readonly string[]): Promise<ViewedFrame> {
  const child = spawn(execPath, [main, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const closed = once(child, 'close');
  try {
    let said = '';
    let url: string | undefined;
    for await (const chunk of child.stderr) {
      said += String(chunk);
      url = /^live view: (http:\S+)$/m.exec(said)?.[1];
      if (url !== undefined) break;
    }
    if (url === undefined) throw new Error(`The program has told no URL: ${said}`);
    for (;;) {
      const frame = (await (await fetch(`${url}frame`)).json()) as ViewedFrame;
      if ((frame.arena?.primitives.length ?? 0) > 0) return frame;
    }
  } finally {
    child.kill('SIGKILL');
    await closed;
  }
}

/** Declares tests that `main` refuses each wrong argument with a message, and that `--help` prints the usage. */
export function argumentSuite(
  main: string,
  usage: string,
  refused: readonly (readonly [args: readonly string[], message: string])[],
): void {
  test.each(refused)('%j ends with a message and code 2', async (args, message) => {
    const { code, stdout, stderr } = await runProgram(main, args);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  test('--help prints the usage', async () => {
    const { code, stdout } = await runProgram(main, ['--help']);
    expect(stdout.startsWith(usage)).toBe(true);
    expect(code).toBe(0);
  });
}
