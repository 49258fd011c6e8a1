import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAX_MS = 280_000;

export interface ChildResult {
  readonly code: number | string | null | undefined;
  readonly signal: string | null | undefined;
  readonly printed: string;
}

/**
 * Runs a file of test/children in a process of its own, until it exits by itself. If it does not exit, a signal kills
 * it.
 */
export function runChild(file: string, ...args: string[]): Promise<ChildResult> {
  const path = fileURLToPath(new URL(`../children/${file}`, import.meta.url));
  return new Promise((resolve) => {
    execFile(process.execPath, [path, ...args], { timeout: MAX_MS, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, signal: error?.signal, printed: `${stdout}${stderr}`.trim() });
    });
  });
}
