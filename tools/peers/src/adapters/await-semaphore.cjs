// await-semaphore's interface over Semaphore: `acquire` resolves with the release, which counts once.
'use strict';
const core = require('@sluice/core');

class Semaphore {
  #permits;

  constructor(count) {
    this.#permits = core.Semaphore.create(count);
  }

  get count() {
    return this.#permits.available;
  }

  async acquire() {
    const guard = await this.#permits.holdAsync();
    return () => guard.release();
  }

  use(task) {
    return this.#permits.runAsync(task);
  }
}

class Mutex extends Semaphore {
  constructor() {
    super(1);
  }
}

module.exports = { Semaphore, Mutex };
