// The servers of examples, as their READMEs start them.

import { spawn } from 'node:child_process';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';

export interface ExampleServer {
  readonly url: string;
  readonly stop: () => void;
}

/** `program`: below `examples`. The server prints its URL. */
export async function startServer(program: string, args: readonly string[] = []): Promise<ExampleServer> {
  const server = fileURLToPath(new URL(`../../../examples/${program}`, import.meta.url));
  const child = spawn(execPath, [server, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PORT: '0' },
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (text: Buffer) => resolve(text.toString().trim()));
    child.once('exit', (code) => reject(new Error(`the server of the example ended with code ${String(code)}`)));
  });
  return { url, stop: () => void child.kill() };
}

export function startExample(): Promise<ExampleServer> {
  return startServer('browser-page/server.mjs');
}
