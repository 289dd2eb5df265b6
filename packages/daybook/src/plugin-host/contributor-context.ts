import { type Caller, createServiceCaller } from '../auth/adapter.ts'
import { type Contributor, describeContributor } from '../config/plugin.ts'
import { UnrestrictedAccess } from '../content/access/unrestricted-access.ts'
import { CallerContent } from '../content/caller-content.ts'
import type { ContentContext } from '../content/context.ts'
import type { Log } from '../log.ts'
import type { AsSystem, PluginLog } from './hooks.ts'

/** The part of a context that all functions of a plugin, or of the config, receive. */
interface ContributorContext {
  readonly options: object
  readonly asSystem: AsSystem
  readonly log: PluginLog
}

/** Creates the context for functions of a plugin, or of the config. */
export function createContributorContext(
  contributor: Contributor,
  context: ContentContext,
  log: Log,
): ContributorContext {
  const { name: plugin, options = Object.freeze({}) } = contributor
  const owner = plugin === undefined ? {} : { plugin }
  return {
    options,
    asSystem: (why) => {
      const caller = createSystemCaller(contributor, why?.reason)
      return new CallerContent(context, () => new UnrestrictedAccess(context.model, caller))
    },
    log: {
      info: (fields, message) => log.info({ ...fields, ...owner }, message),
      warn: (fields, message) => log.warn({ ...fields, ...owner }, message),
      error: (fields, message) => log.error({ ...fields, ...owner }, message),
    },
  }
}

/** The longest reason, in characters. */
const MAX_REASON = 200
/** Line ends and other characters that would forge or break a line of the journal. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029]/u

/**
 * Returns the caller of `asSystem`, whom the journal names.
 *
 * @throws {TypeError} if the plugin does not declare `system`, or gives no reason
 */
export function createSystemCaller(contributor: Pick<Contributor, 'name' | 'system'>, reason: unknown): Caller {
  const { name, system = false } = contributor
  if (!system) {
    throw new TypeError(
      `The plugin "${name}" calls asSystem. Declare it: definePlugin({ name: '${name}', system: true, … }).`,
    )
  }
  const isReason = typeof reason === 'string' && reason.trim() !== '' && reason.length <= MAX_REASON
  if (!isReason || UNPRINTABLE.test(reason)) {
    throw new TypeError(
      `asSystem of ${describeContributor(contributor)} needs a reason of one line, at most ${MAX_REASON} characters: asSystem({ reason: 'nightly sync' }).`,
    )
  }
  return createServiceCaller('daybook', `${name === undefined ? 'config' : `plugin:${name}`} (${reason})`)
}
