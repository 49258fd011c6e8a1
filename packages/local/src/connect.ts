// The entry: from a namespace to a space.

import { checkOptions, keepAlive, letGo, show } from '@sluice/core/calls';
import { checkConnect, PLATFORM, Space } from '@sluice/remote/internal';
import { LocalEngine } from './client/engine.ts';
import { folderOf } from './folder/namespace-folder.ts';

export interface ConnectOptions {
  /** Processes with the same namespace share primitives. */
  readonly namespace: string;
  /**
   * The time after which the permits and locks of a process that is alive, but does nothing, go to others, in ms: 100
   * to one day. Default: 10,000. A dead process is noticed at once.
   */
  readonly lease?: number | undefined;
  /** The name of this process in reports. Default: its process id. */
  readonly name?: string | undefined;
  /**
   * An existing folder for the namespace's files, with rights that the program has chosen. All users that may write to
   * it share the primitives. Default: a folder that only this user may enter.
   */
  readonly path?: string | undefined;
}

const OPTIONS: readonly (keyof ConnectOptions)[] = ['namespace', 'lease', 'name', 'path'];

/**
 * Opens a space that all processes of this user on this machine share. No server is needed: one of the processes serves
 * the others, and when it ends, another one takes over.
 *
 * The space keeps the process alive only while a call waits.
 *
 * @throws {TypeError} If an argument has the wrong type.
 * @throws {RangeError} If an option is out of range.
 * @throws {LocalError} If the folder cannot be used, or the namespace is in use by another version of this package.
 */
export async function connect(options: ConnectOptions): Promise<Space> {
  checkOptions(options, OPTIONS);
  const { namespace, lease, label } = checkConnect(options);
  const { path } = options;
  if (path !== undefined && (typeof path !== 'string' || path === ''))
    throw new TypeError(`path must be a string that is not empty: received ${show(path)}`);
  // The connections do not keep the process alive, but this call must.
  keepAlive();
  try {
    const engine = await LocalEngine.open(folderOf(namespace, path), lease);
    const space = new Space({ namespace, lease, label, engine, timing: PLATFORM });
    try {
      await space.session();
      return space;
    } catch (failure) {
      engine.close();
      throw failure;
    }
  } finally {
    letGo();
  }
}
