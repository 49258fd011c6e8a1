/** A fair semaphore for one thread in plain JavaScript. The tests compare the real semaphores with it. */
export class IdealSemaphore {
  /** The permits not taken, including those that the head of the line has gathered. */
  free: number;
  /** Ids of waits that were admitted. */
  readonly admitted = new Set<number>();
  #line: { readonly id: number; readonly permits: number }[] = [];

  constructor(permits: number) {
    this.free = permits;
  }

  get available(): number {
    return this.#line.length === 0 ? this.free : 0;
  }

  get waiting(): number {
    return this.#line.length;
  }

  acquire(id: number, permits: number): void {
    this.#line.push({ id, permits });
    this.#serve();
  }

  giveUp(id: number): void {
    this.#line = this.#line.filter((wait) => wait.id !== id);
    this.#serve();
  }

  tryAcquire(permits: number): boolean {
    if (this.available < permits) return false;
    this.free -= permits;
    return true;
  }

  drain(): number {
    const taken = this.available;
    this.free -= taken;
    return taken;
  }

  release(permits: number): void {
    this.free += permits;
    this.#serve();
  }

  #serve(): void {
    for (let head = this.#line[0]; head !== undefined && head.permits <= this.free; head = this.#line[0]) {
      this.#line.shift();
      this.free -= head.permits;
      this.admitted.add(head.id);
    }
  }
}
