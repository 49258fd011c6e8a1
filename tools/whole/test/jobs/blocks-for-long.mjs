// @ts-check
// Blocks in a wait that wakes from time to time and never ends.
import { addressWaitUntil, SharedWord, waitOnAddress } from '@sluice/address-wait';
import { AddressSemaphore } from '@sluice/classics';
import { workerData } from 'node:worker_threads';

const { way, word: wordHandle, semaphore } = workerData;
const word = SharedWord.from(wordHandle);
switch (way) {
  case 'AddressSemaphore':
    AddressSemaphore.from(semaphore).acquire();
    break;
  case 'waitOnAddress':
    while (word.load() === 0) waitOnAddress(word, 0);
    break;
  default:
    addressWaitUntil(word, () => word.load() !== 0);
}
