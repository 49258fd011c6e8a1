// A warning of the process, where there is one.

interface Platform {
  readonly process?: { emitWarning?(text: string, options: { readonly type: string; readonly code: string }): void };
}

/** Gives a warning with a code. On Node.js it waits for the event loop's turn. Elsewhere it is a line on the console. */
export function warnProcess(code: string, text: string): void {
  const { process } = globalThis as Platform;
  if (typeof process?.emitWarning === 'function') process.emitWarning(text, { type: 'SluiceWarning', code });
  else console.warn(`${code}: ${text}`);
}
