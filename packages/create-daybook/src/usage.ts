import { TEMPLATES } from './templates.ts'

/** A command line that cannot be carried out: said without a stack, exit status 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

const templates = Object.entries(TEMPLATES).map(([name, what]) => `                    ${name.padEnd(8)} ${what}`)

/** Text of `create-daybook --help`. */
export const HELP: string = `create-daybook: makes a project with Daybook, a headless content service

  npm create daybook [FOLDER] [-- OPTIONS]

  FOLDER            a new folder, or an empty one; its name becomes the project's (default: my-content)
  --template NAME   what to begin with (default: blog)
${templates.join('\n')}
  --no-install      write the files, and install no packages
  --help, --version
`
