import { sum } from './sum.js';

const output = document.querySelector('output');
sum().then(
  (text) => (output.textContent = text),
  (failure) => (output.textContent = `failed: ${failure}`),
);
