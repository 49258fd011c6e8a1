// A reporter for `node --test`: one line of JSON for each test of a file.

/** An assertion that a test did not await, and that failed after its end. */
const LATE = /Test "(?<name>.*?)" at .* generated asynchronous activity[^]*?created the error "(?<why>[^]*)"/;

/** @param {AsyncIterable<{ type: string, data: any }>} events */
export default async function* lines(events) {
  for await (const { type, data } of events) {
    if (type === 'test:diagnostic') {
      const late = LATE.exec(data.message)?.groups;
      if (late !== undefined) yield `${JSON.stringify({ ...late, file: data.file, passed: false, isLate: true })}\n`;
    }
    if ((type !== 'test:pass' && type !== 'test:fail') || data.nesting > 1) continue;
    const skipped = data.skip !== undefined || data.todo !== undefined;
    const why = data.details?.error?.cause?.message ?? data.details?.error?.message;
    yield `${JSON.stringify({ name: data.name, file: data.file, passed: type === 'test:pass', skipped, why })}\n`;
  }
}
