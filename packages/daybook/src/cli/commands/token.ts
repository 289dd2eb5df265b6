import { type ApiToken, ApiTokens } from '../../auth/api-tokens.ts'
import { DuplicateKeyError } from '../../auth/records.ts'
import { findScopeViolation } from '../../auth/scopes.ts'
import { StartupError } from '../../errors.ts'
import { formatIssueMessage } from '../../issues.ts'
import type { Model } from '../../model/model.ts'
import {
  CliCommand,
  type CommonOptions,
  checkRoles,
  defineOption,
  defineRepeatedOption,
  readExpiry,
  UsageError,
} from '../command.ts'
import { openCommandStore } from '../open-store.ts'
import { formatTable, printNotice } from '../output.ts'

interface CreateOptions extends CommonOptions {
  readonly scope?: readonly string[]
  readonly role?: readonly string[]
  readonly days?: string
}

/** `daybook token`: named tokens of programs, with the permissions of their scopes. */
export const token: CliCommand = new CliCommand('token')
  .addCommand(
    new CliCommand('create')
      .description('Prints a token, once.')
      .argument('<NAME>')
      .takes(
        defineRepeatedOption(
          '--scope <SCOPE>',
          'A permission of the token: `posts:update`, `posts:*`, `*:read`, `globals.site:update`, `export`, or `*` for everything.',
          'needed',
        ),
        defineRepeatedOption('--role <ROLE>', 'A role, for access rules.', '`service`'),
        defineOption('--days <N>', 'The lifetime in days, 1 to 3650.', 'until it is revoked'),
      )
      .runs(async (name: string, { scope = [], role = ['service'], days, ...options }: CreateOptions) => {
        if (scope.length === 0)
          throw new UsageError(
            "--scope is required. Write --scope posts:update, --scope '*:read', --scope export, or --scope '*'.",
          )
        await using opened = await openCommandStore(options)
        const scopes = checkScopes(scope, opened.model)
        const expiresAt = days === undefined ? null : readExpiry(days)
        const tokens = new ApiTokens(opened.context.store.records)
        const { token } = await tokens
          .create({ name, scopes, roles: checkRoles(role), expiresAt })
          .catch((error: unknown) => {
            if (!(error instanceof DuplicateKeyError)) throw error
            throw new StartupError(`The name "${name}" is already used by another token. Revoke that token first.`)
          })
        const until = expiresAt ? ` until ${expiresAt}` : ''
        printNotice(`Token "${name}" for ${scopes.join(', ')}${until}. It is shown only once:`)
        process.stdout.write(`${token}\n`)
        return 0
      }),
  )
  .addCommand(
    new CliCommand('list')
      .description('Prints all tokens, without their secrets.')
      .runs(async (options: CommonOptions) => {
        await using opened = await openCommandStore(options)
        const tokens = await new ApiTokens(opened.context.store.records).list()
        process.stdout.write(formatTable([COLUMN_NAMES, ...tokens.map(toRow)]))
        return 0
      }),
  )
  .addCommand(
    new CliCommand('revoke')
      .description('Revokes a token by its name or its id; other nodes accept it for one more second at most.')
      .argument('<NAME>')
      .runs(async (nameOrId: string, options: CommonOptions) => {
        await using opened = await openCommandStore(options)
        if (!(await new ApiTokens(opened.context.store.records).revoke(nameOrId)))
          throw new StartupError(`The token "${nameOrId}" does not exist. See daybook token list.`)
        process.stdout.write(`Token "${nameOrId}" is revoked.\n`)
        return 0
      }),
  )

/** @throws {UsageError} if a scope names no document or operation of the config */
function checkScopes(scopes: readonly string[], { collections, globals }: Model): readonly string[] {
  const documents = [...collections.values(), ...globals.values()]
  for (const scope of scopes) {
    const [, message] = findScopeViolation(scope, documents) ?? []
    if (message !== undefined) throw new UsageError(formatIssueMessage(`--scope ${scope}`, message))
  }
  return [...new Set(scopes)]
}

const COLUMN_NAMES = ['NAME', 'BEGINS WITH', 'SCOPES', 'ROLES', 'EXPIRES', 'LAST USED']

const toRow = ({ name, prefix, scopes, roles, expiresAt, lastUsedAt }: ApiToken): readonly string[] => [
  name,
  prefix,
  scopes.join(','),
  roles.join(','),
  expiresAt ?? 'never',
  lastUsedAt ?? 'never',
]
