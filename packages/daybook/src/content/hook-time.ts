/** The time that hooks have spent inside one transaction: all writers wait for them. */
export class HookTime {
  #spentMs = 0

  /**
   * Spends time on a hook.
   *
   * @param limitMs how long all hooks of the transaction may take together, in milliseconds
   */
  async spend<T>(limitMs: number, work: (leftMs: number) => Promise<T>): Promise<T> {
    const begin = performance.now()
    try {
      return await work(Math.max(0, Math.ceil(limitMs - this.#spentMs)))
    } finally {
      this.#spentMs += performance.now() - begin
    }
  }
}
