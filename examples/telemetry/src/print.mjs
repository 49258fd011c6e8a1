// @ts-check
// Prints what the exporter received last.

/** @param {import('@opentelemetry/sdk-metrics').InMemoryMetricExporter} exporter */
export function print(exporter) {
  const metrics =
    exporter
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
  for (const { descriptor, dataPoints } of metrics) {
    for (const { attributes, value } of dataPoints) {
      const series = [descriptor.name.padEnd(20), ...Object.values(attributes).map((text) => String(text).padEnd(8))];
      console.log(`  ${series.join(' ')} ${text(value)}`);
    }
  }
  exporter.reset();
}

/** @param {unknown} value @returns {string} */
function text(value) {
  if (typeof value === 'number') return `${value} in line`;
  const { count, sum } = /** @type {import('@opentelemetry/sdk-metrics').Histogram} */ (value);
  return `${count} recorded, ${Math.round(sum ?? 0)} ms in all`;
}
