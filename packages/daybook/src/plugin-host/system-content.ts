import { type Caller, serviceCaller } from '../auth/adapter.ts'
import { type Contributor, describeContributor } from '../config/plugin.ts'
import { UnrestrictedAccess } from '../content/access/unrestricted-access.ts'
import { CallerContent } from '../content/caller-content.ts'
import type { Engine } from '../content/engine.ts'
import type { AsSystem } from './hooks.ts'

/** The longest reason, in characters. */
const MAX_REASON = 200
/** Line ends and other characters that would forge or break a line of the journal. */
const UNPRINTABLE = /[\p{Cc}\u2028\u2029]/u

/**
 * The caller that a plugin, or the config's own code, is when it goes beyond the rights of the one who asked. The journal names it.
 *
 * @throws {TypeError} when the plugin does not say that it does so, or gives no reason
 */
export function systemCaller(contributor: Pick<Contributor, 'name' | 'system'>, reason: unknown): Caller {
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
  return serviceCaller('daybook', `${name === undefined ? 'config' : `plugin:${name}`} (${reason})`)
}

/** The `asSystem` of a plugin, or of the config. */
export function systemContent(contributor: Pick<Contributor, 'name' | 'system'>, engine: Engine): AsSystem {
  return (why) => {
    const caller = systemCaller(contributor, why?.reason)
    return new CallerContent(engine, () => new UnrestrictedAccess(engine.model, caller))
  }
}
