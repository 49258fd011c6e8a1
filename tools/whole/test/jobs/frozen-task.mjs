export default (/** @type {unknown} */ value) => value;
