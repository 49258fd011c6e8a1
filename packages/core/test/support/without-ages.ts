// Removes the times from reports, so that a test can compare reports of two moments.

/** Returns a report, or an object of reports, without `age` and `stillSince` at any depth. */
export function withoutAges(report: unknown): unknown {
  if (Array.isArray(report)) return report.map(withoutAges);
  if (typeof report !== 'object' || report === null || Object.getPrototypeOf(report) !== Object.prototype)
    return report;
  const fields = Object.entries(report).filter(([name]) => name !== 'age' && name !== 'stillSince');
  return Object.fromEntries(fields.map(([name, value]) => [name, withoutAges(value)]));
}
