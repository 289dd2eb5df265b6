import { serviceCaller } from '../auth/adapter.ts'
import type { Plugin } from '../config/plugin.ts'
import { UnrestrictedAccess } from '../content/access/unrestricted-access.ts'
import { CallerContent } from '../content/caller-content.ts'
import type { Engine } from '../content/engine.ts'
import type { Log } from '../log.ts'
import type { AsSystem, PluginLog } from './hooks.ts'

/** The longest reason, in characters: the journal keeps it with each change. */
const MAX_REASON_LENGTH = 200
/** Control characters, and the separators that end a line. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** What all functions of one plugin are given. */
export class PluginScope {
  readonly name: string
  readonly options: object
  readonly log: PluginLog
  readonly #isSystem: boolean

  constructor({ name, options = {}, system = false }: Plugin, log: Log) {
    this.name = name
    this.options = options
    this.log = {
      info: (fields, message) => log.info({ plugin: name, ...fields }, message),
      warn: (fields, message) => log.warn({ plugin: name, ...fields }, message),
      error: (fields, message) => log.error({ plugin: name, ...fields }, message),
    }
    this.#isSystem = system
  }

  /** Makes handles on an engine's content that no access rule stops. */
  asSystem(engine: Engine): AsSystem {
    return ({ reason }) => {
      const caller = serviceCaller('daybook', `plugin:${this.name} (${this.#requireReason(reason)})`)
      return new CallerContent(engine, () => new UnrestrictedAccess(engine.model, caller))
    }
  }

  /** @throws {Error} for a plugin that does not declare it, or a reason that the journal could not show */
  #requireReason(reason: unknown): string {
    if (!this.#isSystem)
      throw new Error(
        `The plugin "${this.name}" called asSystem() without declaring it. Add to definePlugin: system: true`,
      )
    const text = typeof reason === 'string' ? reason.trim() : ''
    if (text === '' || text.length > MAX_REASON_LENGTH || UNPRINTABLE.test(text))
      throw new Error(
        `asSystem() needs a reason of one line, with at most ${MAX_REASON_LENGTH} characters: asSystem({ reason: 'counts views' })`,
      )
    return text
  }
}
