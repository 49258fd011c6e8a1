// A buffer between workers and the main thread, with each codec, and in place.

import type { BoundedBufferHandle, Codec } from 'sluice';
import { check, equal, type MainTools, type Sluice, type WorkerTools } from '../tools.ts';

const VALUES = 600;

interface Point {
  readonly n: number;
  readonly text: string;
}

/** Of the case's own: a point as its number and its text, in UTF-16. */
const POINTS: Codec<Point> = {
  name: 'points',
  encode: ({ n, text }) =>
    new Uint8Array(Uint16Array.from([n, ...Array.from(text, (letter) => letter.charCodeAt(0))]).buffer),
  decode: (bytes) => {
    const [n = 0, ...letters] = new Uint16Array(bytes.slice().buffer);
    return { n, text: String.fromCharCode(...letters) };
  },
};

const textOf = (n: number): string => `value ${n} \u00e9`;

/** The nth value of each codec. */
const FORMS = {
  int32: { options: { codec: 'int32', capacity: 16 }, value: (n: number) => n - 5 },
  float64: { options: { codec: 'float64', capacity: 16 }, value: (n: number) => n / 3 },
  bytes: { options: { codec: 'bytes', ringBytes: 512 }, value: (n: number) => Uint8Array.from([n, n >> 8, 7]) },
  json: { options: { codec: 'json', ringBytes: 2048 }, value: (n: number) => ({ n, text: textOf(n) }) },
  points: { options: { codec: POINTS, ringBytes: 2048 }, value: (n: number) => ({ n, text: textOf(n) }) },
} as const;
type Form = keyof typeof FORMS;

interface Data {
  readonly form: Form;
  readonly handle: BoundedBufferHandle;
}

type AnyBuffer = ReturnType<Sluice['BoundedBuffer']['create']> & { push(value: unknown): void };

const open = (sluice: Sluice, { form, handle }: Data): AnyBuffer =>
  sluice.BoundedBuffer.from(handle, form === 'points' ? { codec: POINTS } : {});

const plain = (value: unknown): unknown => (value instanceof Uint8Array ? [...value] : value);

export const jobs = {
  produce({ sluice }: WorkerTools, orders: readonly Data[]): void {
    for (const order of orders) {
      const buffer = open(sluice, order);
      for (let n = 0; n < VALUES; n++) buffer.push(FORMS[order.form].value(n));
    }
  },
  /** Takes half of the values; the main thread takes the others. */
  consume({ sluice }: WorkerTools, orders: readonly Data[]): unknown[][] {
    return orders.map((order) => {
      const buffer = open(sluice, order);
      return Array.from({ length: VALUES / 2 }, () => plain(buffer.pop()));
    });
  },
  write({ sluice }: WorkerTools, handle: BoundedBufferHandle): void {
    const buffer = sluice.BoundedBuffer.from(handle) as never;
    const writer = new sluice.BufferWriter<number>(buffer);
    for (let n = 0; n < VALUES; ) {
      const view = writer.claim(Math.min(7, VALUES - n));
      for (const at of view?.keys() ?? []) (view as Float64Array)[at] = n++;
      writer.commit();
    }
  },
};

const byText = (one: string, other: string): number => (one < other ? -1 : 1);

async function inPlace({ sluice, arena, start }: MainTools): Promise<void> {
  const buffer = sluice.BoundedBuffer.create({ codec: 'float64', capacity: 32, arena });
  const { done } = start('write', buffer.handle);
  const reader = new sluice.BufferReader(buffer);
  for (let n = 0; n < VALUES; ) {
    const view = reader.peek(16, 0);
    if (view === undefined) {
      await new Promise((resolve) => setTimeout(resolve));
      continue;
    }
    for (const value of view) equal(value, n++, 'a value in place');
    reader.consume();
  }
  await done;
}

export async function main(tools: MainTools): Promise<void> {
  const { sluice, arena, start } = tools;
  const made = (Object.keys(FORMS) as Form[]).map((form) => ({
    form,
    buffer: sluice.BoundedBuffer.create({ ...FORMS[form].options, arena } as never),
  }));
  const orders: Data[] = made.map(({ form, buffer }) => ({
    form,
    handle: (buffer as { handle: BoundedBufferHandle }).handle,
  }));
  const producing = start('produce', orders);
  const consuming = start('consume', orders);
  const mine: unknown[][] = [];
  for (const { buffer } of made) {
    const taken: unknown[] = [];
    while (taken.length < VALUES / 2)
      taken.push(
        plain(await (buffer as { popAsync(options: object): Promise<unknown> }).popAsync({ timeout: 30_000 })),
      );
    mine.push(taken);
  }
  await producing.done;
  const theirs = (await consuming.done) as unknown[][];
  for (const [index, { form }] of made.entries()) {
    const [here = [], there = []] = [mine[index], theirs[index]];
    const all = [...here, ...there].map((value) => JSON.stringify(value)).sort(byText);
    const expected = Array.from({ length: VALUES }, (_, n) => JSON.stringify(plain(FORMS[form].value(n)))).sort(byText);
    equal(all, expected, form);
    // Each consumer sees them in the order in which they were put in.
    const order = new Map(Array.from({ length: VALUES }, (_, n) => [JSON.stringify(plain(FORMS[form].value(n))), n]));
    const places = here.map((value) => order.get(JSON.stringify(value)) ?? -1);
    check(
      places.every((place, at) => at === 0 || place > (places[at - 1] ?? 0)),
      `${form} arrives in order`,
    );
  }
  await inPlace(tools);
}
