// A structured clone, also in jsdom, which has no `structuredClone`.

import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';

/** Clones a value. Throws what `postMessage` throws for a value that cannot be cloned. */
export function clone(value: unknown): unknown {
  if (typeof structuredClone === 'function') return structuredClone(value);
  const { port1, port2 } = new MessageChannel();
  try {
    port1.postMessage(value);
    return (receiveMessageOnPort(port2) as { readonly message: unknown }).message;
  } finally {
    port1.close();
  }
}
