import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { relative, resolve } from 'node:path'
import { HELP, type Options, readCreateOptions, UsageError } from './options.ts'
import { makeProject, readVersion } from './project.ts'

/** Runs a command line, and returns the exit status. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const options = readCreateOptions(args, process.env)
    if (options.help) return printInfo(HELP)
    if (options.version) return printInfo(`${await readVersion()}\n`)
    return await createProject(options)
  } catch (error) {
    process.stderr.write(`create-daybook: ${explainCreateError(error)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

async function createProject({ folder, template, install }: Options): Promise<number> {
  const path = resolve(folder)
  await makeProject(path, template)
  printInfo(`Created ${path} from the template ${template}.\n`)
  const manager = callingPackageManager(process.env.npm_config_user_agent)
  if (!install) return printInfo(nextSteps(path, manager, false))
  printInfo(`Installing its packages with ${manager} …\n`)
  const isInstalled = await installPackages(manager, path)
  if (!isInstalled) process.stderr.write('create-daybook: The packages could not be installed. See the output above.\n')
  printInfo(nextSteps(path, manager, isInstalled))
  return isInstalled ? 0 : 1
}

/** The commands that the user still has to run; the last one starts the service. */
function nextSteps(path: string, manager: string, isInstalled: boolean): string {
  const folder = relative(process.cwd(), path)
  const steps = [
    ...(folder === '' ? [] : [`cd ${/^[\w./-]+$/.test(folder) ? folder : JSON.stringify(folder)}`]),
    ...(isInstalled ? [] : [`${manager} install`]),
    `${manager} run dev`,
  ]
  return `\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`
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
