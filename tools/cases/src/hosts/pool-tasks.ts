// The file of a pool's tasks.

import process from 'node:process';

export const square = (n: number): number => n * n;
export const echo = (value: unknown): unknown => value;
export const nothing = (): null => null;

export function fail(message: string): never {
  throw new RangeError(message);
}

export function spin(_: unknown, context: { readonly aborted: boolean }): void {
  while (!context.aborted);
}

export const die = (): never => process.exit(3);
