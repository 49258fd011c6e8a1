// Tests that without WebAssembly (`node --jitless`) no primitive can be created.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const CHILD = fileURLToPath(new URL('jobs/no-webassembly.mjs', import.meta.url));
const SAYS = /^[\w .]+: SLUICE_MISUSE An arena is a WebAssembly\.Memory, .*WebAssembly is not available\. .*--jitless/;

test.each([['--jitless'], ['--no-expose-wasm']])(
  'with %s every package throws a MisuseError that names WebAssembly',
  async (flag) => {
    const { stdout } = await promisify(execFile)(process.execPath, [flag, CHILD], {
      timeout: 280_000,
      killSignal: 'SIGKILL',
    });
    const lines = stdout.trim().split('\n');
    expect(lines.filter((line) => !SAYS.test(line))).toEqual([]);
    expect(lines.length).toBeGreaterThanOrEqual(29);
  },
);
