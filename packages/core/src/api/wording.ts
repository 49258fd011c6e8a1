// Parts of messages.

/** A primitive whose title messages use. */
export interface Titled {
  toString(): string;
}

/** The name on one line, with control characters escaped. */
export function printable(name: string): string {
  return JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"');
}

/** "1 permit", "2 permits". */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** "250 ms", "2.1 s". */
export function duration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  return whole < 1000 ? `${whole} ms` : `${(whole / 1000).toFixed(1)} s`;
}
