import { AsyncLocalStorage, createHook } from 'node:async_hooks'

/** A timer, a socket, a server, a port: something that can keep its process alive. */
interface Resource {
  readonly kind: string
  /** Whether it does. */
  hasRef(): boolean
}

/** The resources that some work makes, whatever else its process does meanwhile. */
export class HeldResources implements Disposable {
  /** Those that have not ended, by their number. */
  readonly #open = new Map<number, Resource>()
  readonly #work = new AsyncLocalStorage<true>()
  readonly #hook = createHook({
    init: (id, kind, _trigger, resource) => {
      if (this.#work.getStore() && canHold(resource)) this.#open.set(id, { kind, hasRef: () => resource.hasRef() })
    },
    destroy: (id) => void this.#open.delete(id),
  })

  /** Notes what is made by `work`, and by all that it begins. */
  during<T>(work: () => Promise<T>): Promise<T> {
    this.#hook.enable()
    return this.#work.run(true, work)
  }

  /** The kinds of those that keep the process alive. */
  kinds(): readonly string[] {
    return [...this.#open.values()].filter((one) => one.hasRef()).map(({ kind }) => kind)
  }

  [Symbol.dispose](): void {
    this.#hook.disable()
  }
}

const canHold = (resource: object): resource is Pick<Resource, 'hasRef'> =>
  'hasRef' in resource && typeof resource.hasRef === 'function'
