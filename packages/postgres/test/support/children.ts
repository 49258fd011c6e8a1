// Processes that a test kills and stops, and whose output it reads.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';

export interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  /** The text that it has printed. */
  readonly lines: string[];
}

/** Starts a program of `children/`. */
export function start(name: string, ...args: string[]): Child {
  const program = fileURLToPath(new URL(`../children/${name}.mjs`, import.meta.url));
  const process = spawn(execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  let rest = '';
  process.stdout.on('data', (chunk) => {
    const parts = (rest + String(chunk)).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  return { process, pid: process.pid ?? 0, lines };
}

/** Kills the process and waits until it has ended. */
export async function end({ process }: Child): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  process.kill('SIGKILL');
  await once(process, 'exit');
}
