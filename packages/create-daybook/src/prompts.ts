import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import {
  type Choices,
  DATABASES,
  DEFAULTS,
  describeChoices,
  type Options,
  TEMPLATES,
  toDatabase,
  toTemplate,
  UsageError,
} from './options.ts'
import { requireUsableFolder } from './project.ts'

/**
 * Prompts for the choices that a command line leaves open. Without a terminal, it takes the defaults.
 *
 * @throws {UsageError} if the folder cannot be used
 * @throws AbortError if the user ends the input
 */
export async function completeChoices({ folder, template, database }: Options): Promise<Choices> {
  const isComplete = folder !== undefined && template !== undefined && database !== undefined
  if (isComplete || process.stdin.isTTY !== true || process.stdout.isTTY !== true)
    return {
      folder: folder ?? DEFAULTS.folder,
      template: template ?? DEFAULTS.template,
      database: database ?? DEFAULTS.database,
    }
  // A mistake of the command line comes before the prompts.
  if (folder !== undefined) await requireUsableFolder(resolve(folder))
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  // The end of the input would leave a prompt open.
  const ended = new AbortController()
  terminal.once('close', () => ended.abort())
  const readLine: ReadLine = (text) => terminal.question(text, { signal: ended.signal })
  try {
    return {
      folder: folder ?? (await prompt(readLine, 'Folder', DEFAULTS.folder, checkFolder)),
      template: template ?? (await promptChoice(readLine, 'Template', TEMPLATES, DEFAULTS.template, toTemplate)),
      database: database ?? (await promptChoice(readLine, 'Database', DATABASES, DEFAULTS.database, toDatabase)),
    }
  } finally {
    terminal.close()
  }
}

/** Prints a text, and reads the line after it. */
type ReadLine = (text: string) => Promise<string>

async function checkFolder(folder: string): Promise<string> {
  await requireUsableFolder(resolve(folder))
  return folder
}

function promptChoice<Name extends string>(
  readLine: ReadLine,
  title: string,
  choices: Readonly<Record<Name, string>>,
  fallback: Name,
  parse: (line: string) => Name,
): Promise<Name> {
  process.stdout.write(`\n${describeChoices(choices, '  ')}`)
  return prompt(readLine, title, fallback, async (line) => parse(line.toLowerCase()))
}

/** Prompts until a line is valid. An empty line is the default. */
async function prompt<T>(
  readLine: ReadLine,
  title: string,
  fallback: string,
  parse: (line: string) => Promise<T>,
): Promise<T> {
  for (;;) {
    const line = await readLine(`${title} (${fallback}): `)
    try {
      return await parse(line.trim() || fallback)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      process.stdout.write(`${error.message}\n`)
    }
  }
}
