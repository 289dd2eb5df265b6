import type { DaybookConfig } from '../../config/config.ts'
import type { MissingSecrets } from '../../config/plugin.ts'
import { StartupError } from '../../errors.ts'
import type { Model } from '../../model/model.ts'

/**
 * The reasons why no other machine may reach a service with this config, each with what to write instead.
 *
 * @returns an empty list if the service may be exposed
 */
export function findExposureFaults(config: DaybookConfig, model: Model): readonly string[] {
  const openDocuments = registersAnyone(config.auth ?? {}) ? describeOpenWrites(model) : []
  const registration = openDocuments.length === 0 ? [] : [openRegistrationFault(openDocuments)]
  return [...registration, ...findMissingSecrets(config)]
}

/** The options of a config that need a secret and have none, each with how to get one. */
export function findMissingSecrets({ auth = {}, assets = {}, plugins = [] }: DaybookConfig): readonly string[] {
  const { images = {} } = assets
  const isImageSecretMissing = Object.hasOwn(images, 'secret') && images.secret === undefined
  const missing = [
    ...('open' in auth ? pathsBelow('auth', auth.missingSecrets) : []),
    ...(isImageSecretMissing ? [['assets.images.secret', 'openssl rand -hex 32 generates one'] as const] : []),
    ...plugins.flatMap(({ name, missingSecrets }) => pathsBelow(`plugins.${name}.options`, missingSecrets)),
  ]
  return missing.map(
    ([path, advice]) =>
      `${path} has no value. Set its variable, such as in the file .env beside the config: ${advice}.`,
  )
}

const pathsBelow = (
  place: string,
  missing: MissingSecrets = {},
): readonly (readonly [path: string, advice: string])[] =>
  Object.entries(missing).map(([path, advice]) => [`${place}.${path}`, advice])

/**
 * Refuses to start a service with faults where other machines reach it.
 *
 * @param situation how other machines would reach the service, as the end of "This service would run …"
 * @throws {StartupError} if there are faults
 */
export function refuseExposure(faults: readonly string[], situation: string): void {
  if (faults.length === 0) return
  const lines = faults.map((fault) => `  - ${fault}`)
  throw new StartupError(`This service would run ${situation}. Change this first:\n${lines.join('\n')}`)
}

/** True if anyone may register an account, and the config does not accept that all accounts write. */
function registersAnyone(auth: NonNullable<DaybookConfig['auth']>): boolean {
  if ('open' in auth) return auth.registersAnyone ?? false
  if ('getCapabilities' in auth) return false
  const { registration = 'open', anyoneMayWrite = false } = auth
  return registration === 'open' && !anyoneMayWrite
}

/** The actions that change documents. */
const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'delete'])

/** Documents that every session may write, with the actions that have no rule: `posts (create, delete)`. */
function describeOpenWrites({ collections, globals }: Model): readonly string[] {
  return [...collections.values(), ...globals.values()].flatMap((document) => {
    const actions = Object.entries(document.access).flatMap(([action, rule]) =>
      WRITES.has(action) && rule === undefined ? [action] : [],
    )
    const name = document.kind === 'global' ? `globals.${document.key}` : document.key
    return actions.length === 0 ? [] : [`${name} (${actions.join(', ')})`]
  })
}

const openRegistrationFault = (openDocuments: readonly string[]): string =>
  `Anyone can register an account, and every account can write: ${openDocuments.join(', ')}. Close registration: ` +
  "auth: betterAuth({ registration: 'closed' }) of daybook/better-auth, with accounts made by: daybook user create. " +
  'Or give each of these an access rule for each action. Or accept it, beside registration: anyoneMayWrite: true.'
