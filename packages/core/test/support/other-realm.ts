// Values of another realm, as in a test runner's sandbox. Their classes differ from the classes of this realm.

import { createContext, runInContext, type Context } from 'node:vm';
import { MessageChannel, moveMessagePortToContext, receiveMessageOnPort } from 'node:worker_threads';

const realm: Context = createContext({});

/** Returns the value of the expression in the other realm. */
export function there(expression: string): unknown {
  return runInContext(`(${expression})`, realm) as unknown;
}

/** A clone of the value, made there. Shared memory stays the same memory. */
export function clonedThere(value: unknown): unknown {
  const { port1, port2 } = new MessageChannel();
  const moved = moveMessagePortToContext(port2, realm);
  try {
    port1.postMessage(value);
    return (receiveMessageOnPort(moved) as { readonly message: unknown }).message;
  } finally {
    // An open port would keep the process alive.
    port1.close();
    moved.close();
  }
}
