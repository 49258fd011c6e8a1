// Processes that a test kills and stops, and whose output it reads.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { env, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';

export interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  /** The text that it has printed. */
  readonly lines: string[];
  /** Sends one line to it. */
  say(line: string): void;
}

/** Starts a program of `children/`. `runtime`: its XDG_RUNTIME_DIR. */
export function start(name: string, runtime: string, ...args: string[]): Child {
  const program = fileURLToPath(new URL(`../children/${name}.mjs`, import.meta.url));
  const process = spawn(execPath, [program, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...env, XDG_RUNTIME_DIR: runtime },
  });
  const lines: string[] = [];
  let rest = '';
  process.stdin.on('error', () => undefined);
  process.stdout.on('data', (chunk) => {
    const parts = (rest + String(chunk)).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  return { process, pid: process.pid ?? 0, lines, say: (line) => void process.stdin.write(`${line}\n`) };
}

/** Kills the process and waits until it has ended. */
export async function end({ process }: Child): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  process.kill('SIGKILL');
  await once(process, 'exit');
}

/**
 * Waits until `holds` returns true. Checks repeatedly, never after a fixed time. The limit only ends a run that hangs.
 */
export async function until(what: string, holds: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<void> {
  const limit = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > limit) throw new Error(`Not within ${limitMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** The folder of the only namespace. */
export function folderIn(runtime: string): string {
  const [name = ''] = readdirSync(`${runtime}/sluice`).filter((each) => /^[0-9a-f]{16}$/.test(each));
  return `${runtime}/sluice/${name}`;
}

/** The child that serves: the one that listens on the socket of the token's member. Needs Linux. */
export function servingChild(runtime: string, children: readonly Child[]): Child | undefined {
  const folder = folderIn(runtime);
  const epochs = readdirSync(folder)
    .map((name) => /^(\d+)-(\w+)$/.exec(name))
    .filter((match) => match !== null);
  const [newest] = epochs.sort(([, a], [, b]) => Number(b) - Number(a));
  if (newest === undefined) return undefined;
  const socket = `${folder}/${newest[2]}.sock`;
  const inodes = readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .filter((line) => line.endsWith(` ${socket}`))
    .map((line) => line.trim().split(/\s+/)[6]);
  return children.find(({ pid }) => {
    try {
      return readdirSync(`/proc/${pid}/fd`).some((fd) => {
        try {
          return inodes.includes(/^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1]);
        } catch {
          return false;
        }
      });
    } catch {
      return false;
    }
  });
}
