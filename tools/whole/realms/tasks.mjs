// @ts-check

/** @param {unknown} task */
export default function run(task) {
  if (task === 'own')
    throw Object.assign(new Error('own', { cause: new Error('behind') }), { code: 'EMINE', name: 'Mine' });
  if (task === 'builtIn') throw new TypeError('built in');
  return 1;
}
