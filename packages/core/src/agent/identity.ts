// What reports say about an agent: its thread, the name of the thread, its runtime. The agent writes it once, when it
// joins. Recovery clears it with the rest of the record.

import { AGENT_OS_THREAD, AGENT_NAME, AGENT_RUNTIME, AGENT_THREAD, NAME_BYTES } from '../kernel/layout.ts';
import type { AgentAddress } from '../kernel/addresses.ts';
import type { Words } from '../kernel/words.ts';
import { readText, writeText } from '../memory/name.ts';
import { osThread, RUNTIMES, runtimeOf, threadName, type AgentRuntime } from '../platform/thread.ts';
import { encodeText } from '../platform/utf8.ts';

export interface AgentIdentity {
  /** The platform's id of the thread: 0 for the main thread. Absent where the platform gives none. */
  readonly thread?: number;
  /** The `name` of the worker, or the file that the thread runs. '' if neither is known. */
  readonly name: string;
  readonly runtime: AgentRuntime;
  /** On Linux, the kernel's id of the thread, as `top -H` shows it. Absent where it is not known. */
  readonly osThread?: number;
}

/** Writes the identity of the calling thread into the record of its agent. */
export function noteIdentity(words: Words, record: AgentAddress): void {
  try {
    words.put32(record + AGENT_RUNTIME, RUNTIMES.indexOf(runtimeOf()));
    words.put32(record + AGENT_OS_THREAD, osThread());
    const name = shortened(threadName());
    if (name.length > 0) writeText(words, record + AGENT_NAME, name);
  } catch {
    // The platform refuses to tell. An agent needs no name to work.
  }
}

/** Reads the identity of an agent from its record. */
export function identityOf(words: Words, record: AgentAddress): AgentIdentity {
  const thread = words.load32(record + AGENT_THREAD);
  const osThread = words.get32(record + AGENT_OS_THREAD);
  return {
    ...(thread > 0 && { thread: thread - 1 }),
    name: readText(words, record + AGENT_NAME),
    runtime: RUNTIMES[words.get32(record + AGENT_RUNTIME)] ?? 'unknown',
    ...(osThread > 0 && { osThread }),
  };
}

/** Encodes the text, or as many of its first characters as the record has room for. */
function shortened(text: string): Uint8Array {
  const bytes = encodeText(text);
  if (bytes.length <= NAME_BYTES) return bytes;
  let end = NAME_BYTES;
  // A byte 10xxxxxx continues a character.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.slice(0, end);
}
