import { open } from 'node:fs/promises';

export const file = open('after.txt');
