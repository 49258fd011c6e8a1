// Runs a script of a project's package.json.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { env, kill } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const MAX_START_MS = 60_000;

/** With these variables the bundlers ask nothing, send no telemetry, and print no colours. */
const SETTINGS = {
  CI: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  NO_COLOR: '1',
  FORCE_COLOR: undefined,
  NODE_ENV: undefined,
  VITEST: undefined,
};

interface Started {
  readonly child: ChildProcess;
  readonly printed: () => string;
}

function start(
  project: string,
  script: string,
  args: readonly string[],
  more: Readonly<Record<string, string>>,
): Started {
  // A group of its own, because npm does not pass on a signal to what it has started.
  const child = spawn('npm', ['run', '--silent', script, '--', ...args], {
    cwd: project,
    env: { ...env, ...SETTINGS, ...more },
    detached: true,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (text += part.toString()));
  return { child, printed: () => text };
}

/** Runs a script. Resolves when it has ended. Rejects if it failed. */
export async function runScript(project: string, script: string): Promise<void> {
  const { child, printed } = start(project, script, [], {});
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`npm run ${script} in ${project} ended with code ${String(code)}:\n${printed()}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export interface ServerScript {
  readonly url: string;
  readonly printed: () => string;
  readonly stop: () => Promise<void>;
}

/**
 * Starts a script that serves pages. Resolves when the server answers.
 * @param takesOption whether the port is an option of the script, or else a variable of the environment
 */
export async function startServer(project: string, script: string, takesOption: boolean): Promise<ServerScript> {
  const port = String(await freePort());
  const { child, printed } = takesOption
    ? start(project, script, ['--port', port], {})
    : start(project, script, [], { PORT: port });
  const closed = once(child, 'close');
  const stop = async (): Promise<void> => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) kill(-child.pid, 'SIGKILL');
    await closed;
  };
  const url = `http://localhost:${port}/`;
  const deadline = performance.now() + MAX_START_MS;
  while (!(await answers(url))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop();
      throw new Error(`npm run ${script} in ${project} does not serve ${url}:\n${printed()}`);
    }
    await sleep(50);
  }
  return { url, printed, stop };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
