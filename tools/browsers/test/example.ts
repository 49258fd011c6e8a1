// The server of examples/browser-page, as its README starts it.

import { spawn } from 'node:child_process';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';

const server = fileURLToPath(new URL('../../../examples/browser-page/server.mjs', import.meta.url));

export async function startExample(): Promise<{ readonly url: string; readonly stop: () => void }> {
  const child = spawn(execPath, [server], { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, PORT: '0' } });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (text: Buffer) => resolve(text.toString().trim()));
    child.once('exit', (code) => reject(new Error(`the server of the example ended with code ${String(code)}`)));
  });
  return { url, stop: () => void child.kill() };
}
