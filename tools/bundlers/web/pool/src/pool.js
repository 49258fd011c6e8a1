// The page's side. Workers take tasks from one buffer; answers come back through another.
import { BoundedBuffer } from '@sluice/bounded-buffer';
import { Arena, Region } from '@sluice/core';

export class Pool {
  /** By place. */
  workers = [];
  deaths = 0;
  #tasks = BoundedBuffer.create({ codec: 'json', name: 'tasks' });
  #answers = BoundedBuffer.create({ codec: 'json', name: 'answers' });
  #notes; // two words for each place: the task that the worker took last, and its agent
  #begin;
  #pending = new Map(); // by number: the order of the buffer
  #number = 0;

  /** `begin` makes a worker: only a `new Worker` that is written out is found by bundlers. */
  constructor(begin, size) {
    this.#begin = begin;
    this.#notes = Region.create(8 * size);
    for (let place = 0; place < size; place++) this.#add(place);
    void this.#read();
  }

  /** Resolves with what the task returns. Waits in line while the buffer is full. */
  run(input) {
    return new Promise((resolve, reject) => this.#push({ input, resolve, reject, deaths: 0 }));
  }

  /** The workers end when they have run what is there. */
  close() {
    this.#tasks.close();
  }

  #push(task) {
    this.#number += 1;
    this.#pending.set(this.#number, task);
    this.#tasks.pushAsync(task.input).catch(task.reject);
  }

  #add(place) {
    const worker = this.#begin();
    this.workers[place] = worker;
    this.#notes.int32.fill(0, 2 * place, 2 * place + 2);
    worker.onerror = ({ message }) => this.#failAll(new Error(`A worker failed: ${message}`));
    const watch = Arena.default().watch(worker, {
      onReclaim: ({ agent }) => {
        if (agent !== this.#notes.int32[2 * place + 1]) return; // that of another worker
        watch.stop();
        this.#replace(place);
      },
    });
    worker.postMessage({ place, tasks: this.#tasks.handle, answers: this.#answers.handle, notes: this.#notes.handle });
  }

  /** The worker has died. A task that it had taken, and not answered, runs once more. */
  #replace(place) {
    this.deaths += 1;
    const number = this.#notes.int32[2 * place];
    const task = this.#tasks.popped >= number ? this.#pending.get(number) : undefined;
    this.#add(place);
    if (task === undefined) return;
    this.#pending.delete(number);
    task.deaths += 1;
    if (task.deaths > 1) task.reject(new Error('The task ended two workers.'));
    else this.#push(task);
  }

  async #read() {
    for await (const { number, output, failure } of this.#answers) {
      const task = this.#pending.get(number);
      this.#pending.delete(number);
      if (failure === undefined) task?.resolve(output);
      else task?.reject(Object.assign(new Error(failure.message), failure));
    }
  }

  #failAll(failure) {
    for (const { reject } of this.#pending.values()) reject(failure);
    this.#pending.clear();
  }
}
