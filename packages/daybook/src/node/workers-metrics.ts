import { type MetricsSnapshot, mergedText, remains } from '../metrics/metrics.ts'
import type { WorkerProcess } from './worker.ts'

/** The metrics of all workers together, ended ones included. */
export class WorkersMetrics {
  #ended: Promise<MetricsSnapshot> = Promise.resolve([])

  /** Keeps what a worker had counted when it was last asked: a sum that falls would look like a new start. */
  keep({ measured }: WorkerProcess): void {
    this.#ended = this.#ended.then((before) => remains(before, measured))
  }

  async text(alive: Iterable<WorkerProcess>): Promise<string> {
    const snapshots = await Promise.all([this.#ended, ...Array.from(alive, (worker) => worker.measure())])
    return mergedText(snapshots)
  }
}
