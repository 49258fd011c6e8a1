// @ts-check

/** A logarithmic axis from and to whole powers of ten. @param {readonly number[]} numbers */
export function powersOfTen(numbers) {
  const exponents = numbers.map(Math.log10);
  const [least, most] = [Math.floor(Math.min(...exponents)), Math.ceil(Math.max(...exponents))];
  const values = Array.from({ length: most - least + 1 }, (_, i) => 10 ** (least + i));
  return {
    scale: { type: /** @type {const} */ ('log'), domain: [10 ** least, 10 ** most] },
    axis: { values, format: '~s', labelFlush: false },
  };
}

/** @param {readonly number[]} numbers the measured values */
export function workersAxis(numbers) {
  return {
    field: 'workers',
    type: /** @type {const} */ ('quantitative'),
    scale: { type: /** @type {const} */ ('log'), base: 2, nice: false },
    axis: { title: 'workers', values: [...numbers], format: 'd', labelFlush: false },
  };
}
