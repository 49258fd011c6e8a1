// A reporter for `node --test`: one line of JSON for each test of a file.

/** @param {AsyncIterable<{ type: string, data: any }>} events */
export default async function* lines(events) {
  for await (const { type, data } of events) {
    if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting > 1) continue;
    const skipped = data.skip !== undefined || data.todo !== undefined;
    const why = data.details?.error?.cause?.message ?? data.details?.error?.message;
    yield `${JSON.stringify({ name: data.name, file: data.file, passed: type === 'test:pass', skipped, why })}\n`;
  }
}
