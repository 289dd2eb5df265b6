import { randomBytes } from 'node:crypto'
import { text as readAll } from 'node:stream/consumers'
import type { Account, AccountManager } from '../../auth/accounts/account-manager.ts'
import type { DaybookConfig } from '../../config/config.ts'
import { endOutstanding } from '../../content/drafts/outstanding.ts'
import { DaybookError, StartupError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import { endOf, rolesIn } from '../grants.ts'
import { openHost } from '../open-host.ts'
import { type CommandLine, readCommandOptions } from '../options.ts'
import { table } from '../table.ts'
import { UsageError } from '../usage.ts'

const OPTIONS = {
  /** The name of a new account. @default what the address begins with */
  name: { type: 'string' },
  /** A role of an account or an invitation. @default `user` */
  role: { type: 'string', multiple: true },
  /** How long an invitation lasts, 1 to 3650 days. @default 7 */
  days: { type: 'string' },
  /** Reads the password from standard input. @default one is made up and printed */
  'password-stdin': { type: 'boolean' },
} as const

/** How long an invitation lasts that says nothing of it. */
const INVITED_DAYS = '7'

/** An action on accounts. */
type AccountAction = (accounts: AccountManager, email: string, options: CommandLine, store: Store) => Promise<void>

/** The actions on accounts. All but {@link LIST} take the address of one. */
const ACTS: Readonly<Record<string, AccountAction>> = {
  /** Makes an account, also where registration is closed. @param EMAIL */
  async create(accounts, email, options) {
    const { password, tell } = await passwordFor(options)
    const name = options.text('name') ?? email.replace(/@.*$/, '')
    const roles = rolesIn(options, 'user')
    await accounts.create({ email, name, password, roles })
    printNotice(`Account ${email} with the role ${roles.join(', ')}.`)
    tell()
  },
  /** Gives an account the roles that `--role` names, in place of those that it has. @param EMAIL */
  async role(accounts, email, options) {
    if (options.texts('role').length === 0) throw new UsageError('Say which: daybook user role EMAIL --role editor.')
    const roles = rolesIn(options, 'user')
    await accounts.setRoles(email, roles)
    printNotice(`Account ${email} has the role ${roles.join(', ')} from now on.`)
  },
  /** Sets the password of an account, and ends its sessions and reset links. @param EMAIL */
  async password(accounts, email, options) {
    const { password, tell } = await passwordFor(options)
    await accounts.setPassword(email, password)
    printNotice(`Account ${email} has a new password, and no session any more.`)
    tell()
  },
  /** Keeps an account out, and ends its sessions, reset links, previews and scheduled times. @param EMAIL */
  async ban(accounts, email, _options, store) {
    const { id, endedSessions } = await accounts.setBanned(email, true)
    const { previews, schedules } = await endOutstanding(store, id)
    const ended = [
      counted(endedSessions, 'session'),
      counted(previews, 'preview'),
      counted(schedules, 'scheduled time'),
    ]
    printNotice(
      `Account ${email} may not sign in any more. Ended ${ended.slice(0, -1).join(', ')} and ${ended.at(-1)}.`,
    )
  },
  /** Lets an account in again. @param EMAIL */
  async unban(accounts, email) {
    await accounts.setBanned(email, false)
    printNotice(`Account ${email} may sign in again.`)
  },
  /** Prints an invitation; needs `registration: 'invite'`. @param EMAIL */
  async invite(accounts, email, options) {
    const expiresAt = endOf(options.text('days') ?? INVITED_DAYS)
    const { secret } = await accounts.invite({ email, roles: rolesIn(options, 'user'), expiresAt })
    printNotice(
      `Invitation for ${email} until ${expiresAt}, to be sent with register as "invitation". It is shown this once:`,
    )
    process.stdout.write(`${secret}\n`)
  },
  /** Prints all accounts. */
  async list(accounts) {
    process.stdout.write(table([COLUMN_NAMES, ...(await accounts.list()).map(accountColumns)]))
  },
}

/** The action that is about all accounts. */
const LIST = 'list'

/**
 * `daybook user create|list|role|password|ban|unban|invite`: the accounts of a service that keeps them in its database.
 *
 * @throws {UsageError} when the command line is wrong; {StartupError} when it cannot be done
 */
export async function user(args: readonly string[]): Promise<number> {
  const options = readCommandOptions(args, OPTIONS)
  const [act = '', email, ...others] = options.positionals
  const run = Object.hasOwn(ACTS, act) ? ACTS[act] : undefined
  if (others.length > 0 || !run || (act !== LIST) !== (email !== undefined)) {
    const named = Object.keys(ACTS).filter((one) => one !== LIST)
    throw new UsageError(
      `Write: daybook user list, or one of ${named.join(', ')} with an address: daybook user create EMAIL.`,
    )
  }
  await using opened = await openHost(options)
  const accounts = await requireManager(opened.config)(opened.host)
  await run(accounts, String(email), options, opened.store).catch(rethrowRefusal)
  return 0
}

function requireManager({ auth = {} }: DaybookConfig) {
  if ('manage' in auth && auth.manage) return auth.manage.bind(auth)
  throw new StartupError(
    "This config keeps no accounts in the database. Add: import { betterAuth } from 'daybook/better-auth', and auth: betterAuth()",
  )
}

/** Shows the service's refusal as the error of the command. */
function rethrowRefusal(error: unknown): never {
  if (!(error instanceof DaybookError) || error.code === 'INTERNAL_ERROR') throw error
  const issues = (error.details.issues ?? []).map(({ path, message }) => `${path.slice(1)} ${message}`)
  throw new StartupError(issues.length > 0 ? `${issues.join('; ')}.` : error.message)
}

interface Password {
  readonly password: string
  /** Prints the password, if Daybook has generated it. */
  tell(): void
}

async function passwordFor(options: CommandLine): Promise<Password> {
  if (options.flag('password-stdin')) {
    return { password: (await readAll(process.stdin)).replace(/\r?\n$/, ''), tell: () => {} }
  }
  const password = randomBytes(15).toString('base64url')
  const tell = (): void => {
    printNotice('Its password is shown this once:')
    process.stdout.write(`${password}\n`)
  }
  return { password, tell }
}

const COLUMN_NAMES = ['EMAIL', 'NAME', 'ROLES', 'BANNED', 'SINCE']

const accountColumns = ({ email, name, roles, isBanned, createdAt }: Account): readonly string[] => [
  email,
  name,
  roles.join(','),
  isBanned ? 'yes' : 'no',
  createdAt,
]

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** For people; secrets alone go to standard output, so that a script can take them. */
function printNotice(line: string): void {
  process.stderr.write(`${line}\n`)
}
