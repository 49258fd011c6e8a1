// Values of another realm, as a test runner's sandbox gets them: every class of theirs is another one than here.

import { createContext, runInContext, type Context } from 'node:vm';
import { MessageChannel, moveMessagePortToContext, receiveMessageOnPort } from 'node:worker_threads';

const realm: Context = createContext({});

/** What the expression is there. */
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
