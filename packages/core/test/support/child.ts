import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface ChildResult {
  readonly code: number;
  readonly printed: string;
}

/** The time limit of a watchdog. No test expects it: the machine may be busy with other work. */
const WATCHDOG_MS = 280_000;

/** Runs a file in a separate process, on the built package. `file` is a name in test/children or a URL. */
export function runChild(file: string, ...args: string[]): Promise<ChildResult> {
  const path = fileURLToPath(new URL(file, new URL('../children/', import.meta.url)));
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [path, ...args],
      { timeout: WATCHDOG_MS, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : error.code;
        if (typeof code === 'number' && (code === 0 || code === 13)) resolve({ code, printed: stdout.trim() });
        else
          reject(
            new Error(
              `${file} ${args.join(' ')} ended with ${String(code)} ${error?.signal ?? ''}: ${stdout}${stderr}`,
            ),
          );
      },
    );
  });
}
