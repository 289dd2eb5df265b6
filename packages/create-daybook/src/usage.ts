import { TEMPLATES } from './templates.ts'

/** An invalid command line. It is printed without a stack, and the exit status is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

const templates = Object.entries(TEMPLATES).map(([name, what]) => `                    ${name.padEnd(8)} ${what}`)

/** The text of `create-daybook --help`. */
export const HELP: string = `create-daybook: makes a project with Daybook, a headless content service

  npm create daybook [FOLDER] [-- OPTIONS]

  FOLDER            a new folder, or an empty one; its name becomes the project's (default: my-content)
  --template NAME   what to begin with (default: blog)
${templates.join('\n')}
  --no-install      write the files, and install no packages
  --help, --version
`
