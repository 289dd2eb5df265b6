import { relative, resolve } from 'node:path'
import { type Options, readCreateOptions } from './options.ts'
import { callingPackageManager, installPackages } from './package-manager.ts'
import { makeProject, readVersion } from './project.ts'
import { HELP, UsageError } from './usage.ts'

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
  printInfo(`Made ${path} from the template ${template}.\n`)
  const manager = callingPackageManager(process.env.npm_config_user_agent)
  if (!install) return printInfo(nextSteps(path, manager, false))
  printInfo(`Installing its packages with ${manager} …\n`)
  const isInstalled = await installPackages(manager, path)
  if (!isInstalled) process.stderr.write('create-daybook: The packages are not installed; the reason stands above.\n')
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
