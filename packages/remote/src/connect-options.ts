// The options of `connect` that all engines have.

import { checkInteger, checkTimeout, checkWellFormed, show } from '@sluice/core/calls';

export interface ConnectSettings {
  readonly namespace: string;
  readonly lease: number;
  /** The name of this process in reports. */
  readonly label: string;
  readonly connectTimeout: number;
}

const MIN_LEASE = 100;
const DAY = 86_400_000;

/** Checks the options and returns them with their defaults. Throws `TypeError` or `RangeError`. */
export function checkConnect(options: {
  readonly namespace: string;
  readonly lease?: number | undefined;
  readonly name?: string | undefined;
  readonly connectTimeout?: number | undefined;
}): ConnectSettings {
  const { namespace, lease = 10_000, name, connectTimeout = 5000 } = options;
  checkNamespace(namespace);
  checkInteger('lease', lease, MIN_LEASE, DAY);
  checkTimeout(connectTimeout, 'connectTimeout');
  if (name !== undefined && typeof name !== 'string')
    throw new TypeError(`name must be a string: received ${show(name)}`);
  return { namespace, lease, label: name ?? ownName(), connectTimeout };
}

/** With Redis the namespace is the hash tag of all keys, so it must not contain the brackets of a hash tag. */
function checkNamespace(namespace: unknown): void {
  if (typeof namespace !== 'string') throw new TypeError(`namespace must be a string: received ${show(namespace)}`);
  if (!/^[^{}\s]{1,100}$/.test(namespace))
    throw new RangeError(
      `namespace must have 1 to 100 characters, without white space or brackets: received ${show(namespace)}`,
    );
  checkWellFormed('namespace', namespace);
}

/** Modules that Node.js, Deno and Bun have without an import. */
interface Process {
  readonly pid?: number;
  readonly getBuiltinModule?: (name: 'node:os') => { readonly hostname: () => string } | undefined;
}

/** Names this process and its machine, such as "process 4711 on web-3". */
function ownName(): string {
  const { process } = globalThis as { readonly process?: Process };
  const host = process?.getBuiltinModule?.('node:os')?.hostname();
  return `process ${process?.pid ?? '?'}${host === undefined ? '' : ` on ${host}`}`;
}
