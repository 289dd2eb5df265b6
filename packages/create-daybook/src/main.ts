import { relative, resolve } from 'node:path'
import { type Options, readOptions } from './options.ts'
import { callingPackageManager, installPackages } from './package-manager.ts'
import { makeProject, readVersion } from './project.ts'
import { HELP, UsageError } from './usage.ts'

/** Carries a command line out, and answers the exit status. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const options = readOptions(args, process.env)
    if (options.help) return say(HELP)
    if (options.version) return say(`${await readVersion()}\n`)
    return await create(options)
  } catch (error) {
    process.stderr.write(`create-daybook: ${explain(error)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

async function create({ folder, template, install }: Options): Promise<number> {
  const path = resolve(folder)
  await makeProject(path, template)
  say(`Made ${path} from the template ${template}.\n`)
  const manager = callingPackageManager(process.env.npm_config_user_agent)
  if (!install) return say(nextSteps(path, manager, false))
  say(`Installing its packages with ${manager} …\n`)
  const isInstalled = await installPackages(manager, path)
  if (!isInstalled) process.stderr.write('create-daybook: The packages are not installed; the reason stands above.\n')
  say(nextSteps(path, manager, isInstalled))
  return isInstalled ? 0 : 1
}

/** The commands that are left to the user, the last of which starts the service. */
function nextSteps(path: string, manager: string, isInstalled: boolean): string {
  const folder = relative(process.cwd(), path)
  const steps = [
    ...(folder === '' ? [] : [`cd ${/^[\w./-]+$/.test(folder) ? folder : JSON.stringify(folder)}`]),
    ...(isInstalled ? [] : [`${manager} install`]),
    `${manager} run dev`,
  ]
  return `\nNext:\n${steps.map((step) => `  ${step}\n`).join('')}`
}

function say(text: string): 0 {
  process.stdout.write(text)
  return 0
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\nSee npm create daybook -- --help.`
  if (error instanceof Error && 'syscall' in error) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
