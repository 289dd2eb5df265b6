import type { DaybookConfig } from '../../config/config.ts'
import type { MissingSecrets } from '../../config/plugin.ts'
import { StartupError } from '../../errors.ts'
import type { Model } from '../../model/model.ts'

/**
 * Finds the reasons against exposing a service with this config to other machines, each with the change to make.
 *
 * @returns an empty list if the service may be exposed
 */
export function findExposureFaults(config: DaybookConfig, model: Model): readonly string[] {
  const openDocuments = registersAnyone(config.auth ?? {}) ? describeOpenWrites(model) : []
  const registration = openDocuments.length === 0 ? [] : [formatOpenRegistrationFault(openDocuments)]
  return [...registration, ...findMissingSecrets(config)]
}

/** Finds the options of a config that lack a required secret, each with a way to get one. */
export function findMissingSecrets({ auth = {}, assets = {}, plugins = [] }: DaybookConfig): readonly string[] {
  const { images = {} } = assets
  const isImageSecretMissing = Object.hasOwn(images, 'secret') && images.secret === undefined
  const missing = [
    ...('open' in auth ? listMissingSecrets('auth', auth.missingSecrets) : []),
    ...(isImageSecretMissing ? [['assets.images.secret', 'openssl rand -hex 32 generates one'] as const] : []),
    ...plugins.flatMap(({ name, missingSecrets }) => listMissingSecrets(`plugins.${name}.options`, missingSecrets)),
  ]
  return missing.map(
    ([path, advice]) =>
      `${path} has no value. Set its variable, such as in the file .env beside the config: ${advice}.`,
  )
}

const listMissingSecrets = (
  place: string,
  missing: MissingSecrets = {},
): readonly (readonly [path: string, advice: string])[] =>
  Object.entries(missing).map(([path, advice]) => [`${place}.${path}`, advice])

/**
 * Refuses to start a service with exposure faults.
 *
 * @param situation the exposure, as the end of "This service would run …"
 * @throws {StartupError} if there are faults
 */
export function requireNoExposure(faults: readonly string[], situation: string): void {
  if (faults.length === 0) return
  const lines = faults.map((fault) => `  - ${fault}`)
  throw new StartupError(`This service would run ${situation}. Change this first:\n${lines.join('\n')}`)
}

/** Returns true if anyone may register an account, and the config does not set `anyoneMayWrite`. */
function registersAnyone(auth: NonNullable<DaybookConfig['auth']>): boolean {
  if ('open' in auth) return auth.registersAnyone ?? false
  if ('getCapabilities' in auth) return false
  const { registration = 'open', anyoneMayWrite = false } = auth
  return registration === 'open' && !anyoneMayWrite
}

const WRITE_ACTIONS: ReadonlySet<string> = new Set(['create', 'update', 'delete'])

/** Lists the documents that every session may write, with the actions without a rule: `posts (create, delete)`. */
function describeOpenWrites({ collections, globals }: Model): readonly string[] {
  return [...collections.values(), ...globals.values()].flatMap((document) => {
    const actions = Object.entries(document.access).flatMap(([action, rule]) =>
      WRITE_ACTIONS.has(action) && rule === undefined ? [action] : [],
    )
    const name = document.kind === 'global' ? `globals.${document.key}` : document.key
    return actions.length === 0 ? [] : [`${name} (${actions.join(', ')})`]
  })
}

const formatOpenRegistrationFault = (openDocuments: readonly string[]): string =>
  `Anyone can register an account, and every account can write: ${openDocuments.join(', ')}. Close registration: ` +
  "auth: betterAuth({ registration: 'closed' }) of daybook/better-auth, with accounts made by: daybook user create. " +
  'Or give each of these an access rule for each action. Or accept it, beside registration: anyoneMayWrite: true.'
