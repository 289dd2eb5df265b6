import { type Caller, SYSTEM } from '../auth/adapter.ts'
import type { DaybookConfig } from '../config/config.ts'
import { Access } from './access/access.ts'
import { CallerContent } from './caller-content.ts'
import type { Engine } from './engine.ts'
import type { Transact } from './writes/pipeline.ts'

/**
 * Content inside the process. Its caller is `SYSTEM`, the service itself, whose role is `service`; {@link ServiceContent.as} returns
 * the same content for another caller.
 *
 * @example
 * ```ts
 * await service.content.create('posts', { title: 'Hello' })
 * const { items } = await service.content.as(caller).list('posts')
 * ```
 */
export class ServiceContent<C extends DaybookConfig = DaybookConfig> extends CallerContent<C> {
  readonly #engine: Engine
  readonly #transact: Transact | undefined

  /** @param transact how writes reach the store; by default each is a transaction of its own */
  constructor(engine: Engine, transact?: Transact) {
    super(engine, () => new Access(engine.model, SYSTEM), transact)
    this.#engine = engine
    this.#transact = transact
  }

  /** The content with the rights of a caller; `ANONYMOUS` stands for callers without a session. */
  as(caller: Caller): CallerContent<C> {
    return new CallerContent<C>(this.#engine, () => new Access(this.#engine.model, caller), this.#transact)
  }
}
