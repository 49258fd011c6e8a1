// @ts-check
import { ReciprocatingLock } from '@sluice/classics';
import { wrappable } from './capacitor-lock.mjs';

export const { create, open, wakeUps } = wrappable(ReciprocatingLock);
