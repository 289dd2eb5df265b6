import { text as readAll } from 'node:stream/consumers'
import type { Account, AccountManager } from '../../auth/account-manager.ts'
import { endOutstanding } from '../../content/drafts/index.ts'
import { DaybookError, StartupError } from '../../errors.ts'
import { SILENT } from '../../log.ts'
import type { Store } from '../../store/store.ts'
import {
  CliCommand,
  type CommonOptions,
  checkRoles,
  defineOption,
  defineRepeatedOption,
  generatePassword,
  readExpiry,
  UsageError,
} from '../command.ts'
import { openCommandStore } from '../open-store.ts'
import { formatCount, formatTable, printNotice } from '../output.ts'

interface CreateOptions extends CommonOptions {
  readonly name?: string
  readonly role?: readonly string[]
  readonly passwordStdin?: boolean
}

interface InviteOptions extends CommonOptions {
  readonly role?: readonly string[]
  readonly days?: string
}

const DEFAULT_ROLES = ['user']
const DEFAULT_INVITATION_DAYS = '7'

const PASSWORD_STDIN = defineOption(
  '--password-stdin',
  'Reads the password from standard input.',
  'one is generated and printed',
)

/** `daybook user`: the accounts of a service that keeps them in its database. */
export const user: CliCommand = new CliCommand('user')
  .addCommand(
    new CliCommand('create')
      .description('Creates an account, even if registration is closed.')
      .argument('<EMAIL>')
      .takes(
        defineOption('--name <NAME>', 'The name of a new account.', 'the part of the address before @'),
        defineRepeatedOption('--role <ROLE>', 'A role of the account.', '`user`'),
        PASSWORD_STDIN,
      )
      .runs((email: string, { name, role, passwordStdin, ...options }: CreateOptions) =>
        withAccounts(options, async (accounts) => {
          const password = await readPassword(passwordStdin)
          const roles = checkRoles(role ?? DEFAULT_ROLES)
          await accounts.create({ email, name: name ?? email.replace(/@.*$/, ''), password, roles })
          printNotice(`Account ${email} with the role ${roles.join(', ')}.`)
          if (!passwordStdin) printPassword(password)
        }),
      ),
  )
  .addCommand(
    new CliCommand('role')
      .description('Replaces the roles of an account with those of `--role`.')
      .argument('<EMAIL>')
      .takes(defineRepeatedOption('--role <ROLE>', 'A role of the account.', 'needed'))
      .runs((email: string, { role, ...options }: CreateOptions) => {
        if (role === undefined) throw new UsageError('--role is required: daybook user role EMAIL --role editor.')
        const roles = checkRoles(role)
        return withAccounts(options, async (accounts) => {
          await accounts.setRoles(email, roles)
          printNotice(`Account ${email} has the role ${roles.join(', ')} from now on.`)
        })
      }),
  )
  .addCommand(
    new CliCommand('password')
      .description('Sets the password of an account, and ends its sessions and reset links.')
      .argument('<EMAIL>')
      .takes(PASSWORD_STDIN)
      .runs((email: string, { passwordStdin, ...options }: CreateOptions) =>
        withAccounts(options, async (accounts) => {
          const password = await readPassword(passwordStdin)
          await accounts.setPassword(email, password)
          printNotice(`Account ${email} has a new password, and its sessions have ended.`)
          if (!passwordStdin) printPassword(password)
        }),
      ),
  )
  .addCommand(
    new CliCommand('ban')
      .description('Bans an account, and ends its sessions, reset links, previews and scheduled times.')
      .argument('<EMAIL>')
      .runs((email: string, options: CommonOptions) =>
        withAccounts(options, async (accounts, store) => {
          const { id, endedSessions } = await accounts.setBanned(email, true)
          const { previews, schedules } = await endOutstanding(store, id)
          const ended = `${formatCount(endedSessions, 'session')}, ${formatCount(previews, 'preview')}`
          printNotice(
            `Account ${email} is no longer allowed to sign in. Ended ${ended} and ${formatCount(schedules, 'scheduled time')}.`,
          )
        }),
      ),
  )
  .addCommand(
    new CliCommand('unban')
      .description('Lifts the ban of an account.')
      .argument('<EMAIL>')
      .runs((email: string, options: CommonOptions) =>
        withAccounts(options, async (accounts) => {
          await accounts.setBanned(email, false)
          printNotice(`Account ${email} is allowed to sign in again.`)
        }),
      ),
  )
  .addCommand(
    new CliCommand('invite')
      .description("Prints an invitation; needs `registration: 'invite'`.")
      .argument('<EMAIL>')
      .takes(
        defineRepeatedOption('--role <ROLE>', 'A role of the invited account.', '`user`'),
        defineOption('--days <N>', 'The lifetime of the invitation in days, 1 to 3650.', DEFAULT_INVITATION_DAYS),
      )
      .runs((email: string, { role, days = DEFAULT_INVITATION_DAYS, ...options }: InviteOptions) =>
        withAccounts(options, async (accounts) => {
          const expiresAt = readExpiry(days)
          const { secret } = await accounts.invite({ email, roles: checkRoles(role ?? DEFAULT_ROLES), expiresAt })
          const use = 'to be sent with register as "invitation"'
          printNotice(`Invitation for ${email} until ${expiresAt}, ${use}. It is shown only once:`)
          process.stdout.write(`${secret}\n`)
        }),
      ),
  )
  .addCommand(
    new CliCommand('list').description('Prints all accounts.').runs((options: CommonOptions) =>
      withAccounts(options, async (accounts) => {
        process.stdout.write(formatTable([COLUMN_NAMES, ...(await accounts.list()).map(toRow)]))
      }),
    ),
  )

/** Runs work with the accounts of the config. A rejection becomes the error of the command. */
async function withAccounts(
  options: CommonOptions,
  work: (accounts: AccountManager, store: Store) => Promise<void>,
): Promise<number> {
  await using opened = await openCommandStore(options)
  const { store } = opened.context
  const { auth = {} } = opened.config
  if (!('manage' in auth && auth.manage))
    throw new StartupError(
      "The config does not keep accounts in the database. Add: import { betterAuth } from 'daybook/better-auth', and auth: betterAuth()",
    )
  await work(await auth.manage({ records: store.records, log: SILENT }), store).catch(rethrowRejection)
  return 0
}

function rethrowRejection(error: unknown): never {
  if (!(error instanceof DaybookError) || error.code === 'INTERNAL_ERROR') throw error
  const issues = (error.details.issues ?? []).map(({ message }) => message)
  throw new StartupError(issues.length > 0 ? issues.join(' ') : error.message)
}

/** Reads a password from standard input, or generates one. */
async function readPassword(isOnStdin = false): Promise<string> {
  return isOnStdin ? (await readAll(process.stdin)).replace(/\r?\n$/, '') : generatePassword()
}

/** Prints a generated password. Standard output contains only the secret, so that a script can read it. */
function printPassword(password: string): void {
  printNotice('Its password is shown only once:')
  process.stdout.write(`${password}\n`)
}

const COLUMN_NAMES = ['EMAIL', 'NAME', 'ROLES', 'BANNED', 'SINCE']

const toRow = ({ email, name, roles, isBanned, createdAt }: Account): readonly string[] => [
  email,
  name,
  roles.join(','),
  isBanned ? 'yes' : 'no',
  createdAt,
]
