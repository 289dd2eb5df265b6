import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename, relative, resolve } from 'node:path'
import { type Choices, HELP, type Options, readCreateOptions, type Template, UsageError } from './options.ts'
import { getCreateDatabaseCommand, makeProject, readVersion } from './project.ts'
import { completeChoices } from './prompts.ts'

/** The exit status of a program that the user has interrupted. */
const INTERRUPTED = 130

/** Runs a command line, and returns the exit status. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const options = readCreateOptions(args, process.env)
    if (options.help) return printInfo(HELP)
    if (options.version) return printInfo(`${await readVersion()}\n`)
    return await createProject(options)
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') {
      process.stderr.write('\ncreate-daybook: Nothing was created.\n')
      return INTERRUPTED
    }
    process.stderr.write(`create-daybook: ${explainCreateError(error)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

async function createProject(options: Options): Promise<number> {
  const choices = await completeChoices(options)
  const path = resolve(choices.folder)
  const { template, database } = choices
  await makeProject(path, template, database)
  printInfo(`Created ${path} from the template ${template}.\n`)
  const manager = callingPackageManager(process.env.npm_config_user_agent)
  const start = [
    `${manager} run dev`,
    ...(template === 'site' ? [`${manager} run site   # in a second terminal, in the same folder`] : []),
  ]
  const installAndStart = [`${manager} install`, ...start]
  if (!options.install) return printInfo(describeNext(path, choices, installAndStart))
  printInfo(`Installing its packages with ${manager} …\n`)
  if (await installPackages(manager, path)) return printInfo(describeNext(path, choices, start))
  process.stderr.write('create-daybook: The packages could not be installed. See the output above.\n')
  printInfo(describeNext(path, choices, installAndStart))
  return 1
}

/** The first collection of each template, which a start names. */
const COLLECTIONS: Readonly<Record<Template, string>> = { blog: 'posts', site: 'posts', minimal: 'notes' }

/**
 * Returns the commands that the user still has to run, and the addresses that a start prints.
 *
 * @param commands the commands after those for the folder and the database
 */
function describeNext(path: string, { template, database }: Choices, commands: readonly string[]): string {
  const folder = relative(process.cwd(), path)
  const steps = [
    ...(folder === '' ? [] : [`cd ${/^[\w./-]+$/.test(folder) ? folder : JSON.stringify(folder)}`]),
    ...(database === 'postgres'
      ? [`${getCreateDatabaseCommand(basename(path))}   # or change DATABASE_URL in .env`]
      : []),
    ...commands,
  ]
  return `
Next:
${steps.map((step) => `  ${step}\n`).join('')}
Then open:
${template === 'site' ? '  Site       http://127.0.0.1:4321\n' : ''}  Studio     http://127.0.0.1:3000/studio
  API        http://127.0.0.1:3000/api/${COLLECTIONS[template]}
  Docs page  http://127.0.0.1:3000/docs

The first start prints a link with which you create your account.
`
}

function printInfo(text: string): 0 {
  process.stdout.write(text)
  return 0
}

function explainCreateError(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\nSee npm create daybook -- --help.`
  if (error instanceof Error && 'syscall' in error) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** The arguments with which a package manager installs a project; it prefers packages on this machine. */
const INSTALL: Readonly<Record<string, readonly string[]>> = {
  // Without the last argument, npm downloads the manifest of every optional peer: 130 MB, of which it installs nothing.
  npm: ['install', '--prefer-offline', '--no-audit', '--no-fund', '--legacy-peer-deps'],
  pnpm: ['install', '--prefer-offline'],
  bun: ['install'],
}

/**
 * Returns the command of the package manager that runs this program: `npm`, `pnpm`, `bun`; `npm` for any other.
 *
 * @param agent the user agent, such as `pnpm/10.1.0 node/v24.0.0 linux x64`
 */
export function callingPackageManager(agent: string | undefined): string {
  const name = agent?.split('/')[0] ?? ''
  return Object.hasOwn(INSTALL, name) ? name : 'npm'
}

/** Installs a project's packages with the package manager's output. Returns true on success. */
export async function installPackages(manager: string, folder: string): Promise<boolean> {
  const child = spawn(manager, INSTALL[manager] ?? [], {
    cwd: folder,
    stdio: 'inherit',
    // On Windows, package managers are scripts.
    shell: process.platform === 'win32',
  })
  const [status] = await once(child, 'close').catch(() => [1])
  return status === 0
}
