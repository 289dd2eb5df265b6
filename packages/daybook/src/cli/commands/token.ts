import { DuplicateKey } from '../../auth/records.ts'
import { violationOfScope } from '../../auth/scopes.ts'
import { type ApiToken, ApiTokens } from '../../auth/tokens/api-tokens.ts'
import { StartupError } from '../../errors.ts'
import type { Model } from '../../model/model.ts'
import { endOf, rolesIn } from '../grants.ts'
import { openHost } from '../open-host.ts'
import { type CommandLine, readCommandOptions } from '../options.ts'
import { table } from '../table.ts'
import { UsageError } from '../usage.ts'

const OPTIONS = {
  /** A permission of the token: `posts:update`, `posts:*`, `*:read`, `globals.site:update`, `export`, or `*` for everything. @default needed */
  scope: { type: 'string', multiple: true },
  /** A role, for access rules. @default `service` */
  role: { type: 'string', multiple: true },
  /** How long it lasts, 1 to 3650 days. @default until it is revoked */
  days: { type: 'string' },
} as const

/** The actions on tokens. All but {@link LIST} take the name of one. */
const ACTS: Readonly<
  Record<string, (tokens: ApiTokens, name: string, options: CommandLine, model: Model) => Promise<number>>
> = {
  /** Prints a token, once. @param NAME */
  create: createToken,
  /** Prints all tokens, without their secrets. */
  list: listTokens,
  /** Ends a token, by its name or its id; other nodes take it for a second at most. @param NAME */
  revoke,
}

/** The action that is about all tokens. */
const LIST = 'list'

const USAGE = 'Write: daybook token create NAME --scope posts:update, daybook token list, or daybook token revoke NAME.'

/**
 * `daybook token create|list|revoke`: named tokens of programs, for what their scopes say.
 *
 * @throws {UsageError} when the command line is wrong; {StartupError} when the store cannot be used, or there is no such token
 */
export async function token(args: readonly string[]): Promise<number> {
  const options = readCommandOptions(args, OPTIONS)
  const [act = '', name, ...others] = options.positionals
  const run = Object.hasOwn(ACTS, act) ? ACTS[act] : undefined
  if (others.length > 0 || !run || (act !== LIST) !== (name !== undefined)) throw new UsageError(USAGE)
  // Awaited, as the store is closed when this returns.
  await using opened = await openHost(options)
  return await run(new ApiTokens(opened.host.records), String(name), options, opened.model)
}

async function createToken(tokens: ApiTokens, name: string, options: CommandLine, model: Model): Promise<number> {
  const scopes = requireScopes(options.texts('scope'), model)
  const roles = rolesIn(options, 'service')
  const days = options.text('days')
  const expiresAt = days === undefined ? null : endOf(days)
  const made = await tokens.create({ name, scopes, roles, expiresAt }).catch((error) => {
    throw error instanceof DuplicateKey
      ? new StartupError(`There is a token "${name}" already. Revoke it first.`)
      : error
  })
  process.stderr.write(
    `Token "${name}" for ${scopes.join(', ')}${expiresAt ? ` until ${expiresAt}` : ''}. It is shown this once:\n`,
  )
  process.stdout.write(`${made.token}\n`)
  return 0
}

function requireScopes(scopes: readonly string[], { collections, globals }: Model): readonly string[] {
  if (scopes.length === 0) {
    throw new UsageError(
      "Say what the token is for: --scope posts:update, --scope '*:read', --scope export, or --scope '*'.",
    )
  }
  const documents = [...collections.values(), ...globals.values()]
  for (const scope of scopes) {
    const [, message] = violationOfScope(scope, documents) ?? []
    if (message !== undefined) throw new UsageError(`--scope ${scope}: ${message}.`)
  }
  return [...new Set(scopes)]
}

async function listTokens(tokens: ApiTokens): Promise<number> {
  const head = ['NAME', 'BEGINS WITH', 'SCOPES', 'ROLES', 'EXPIRES', 'LAST USED']
  process.stdout.write(table([head, ...(await tokens.list()).map(tokenColumns)]))
  return 0
}

const tokenColumns = ({ name, prefix, scopes, roles, expiresAt, lastUsedAt }: ApiToken): readonly string[] => [
  name,
  prefix,
  scopes.join(','),
  roles.join(','),
  expiresAt ?? 'never',
  lastUsedAt ?? 'never',
]

async function revoke(tokens: ApiTokens, nameOrId: string): Promise<number> {
  if (!(await tokens.revoke(nameOrId)))
    throw new StartupError(`There is no token "${nameOrId}". See daybook token list.`)
  process.stdout.write(`Token "${nameOrId}" is worth nothing any more.\n`)
  return 0
}
