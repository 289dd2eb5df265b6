import { statSync } from 'node:fs'
import { CliCommand, defineOption, defineRepeatedOption, type Option, UsageError } from '../command.ts'
import type { ImportOptions } from '../import/plan.ts'
import type { RestoreOptions } from '../transfer/restore-export.ts'

const FOLDER_OPTIONS: readonly Option[] = [
  defineOption('--collection <KEY>', 'The collection to fill.', 'needed'),
  defineRepeatedOption('--map <KEY=FIELD>', 'Assigns a front-matter key to a field of another name.'),
  defineRepeatedOption('--set <FIELD=VALUE>', 'Gives every entry this value; a file with `draft: true` stays a draft.'),
  defineOption('--key <FIELD>', 'The field that identifies existing entries.', 'the slug'),
  defineOption('--body <FIELD>', 'The field for the text of a file.', '`body`, else the only Markdown field'),
  defineOption('--locale-folders', 'The folder has a subfolder for each locale; files at the same path are one entry.'),
  defineOption(
    '--dry-run',
    'Reports the outcome, and stores nothing: it works on a copy of the store in the folder for temporary files.',
  ),
]

const FILES_OPTION = defineOption(
  '--files <DIR>',
  'For an export: the folder of its files, as `daybook export --files` wrote it.',
  'files are not restored',
)

/** `daybook import`: brings in a folder of Markdown files, or restores an export. */
export const importContent: CliCommand = new CliCommand('import')
  .argument('<PATH>', 'The folder, or the file of an export.')
  .takes(...FOLDER_OPTIONS, FILES_OPTION)
  .runs(async (path: string, options: ImportOptions & RestoreOptions, command: CliCommand) => {
    const status = statSync(path, { throwIfNoEntry: false })
    const isPresent = (option: Option): boolean => command.getOptionValue(option.attributeName()) !== undefined
    if (status?.isDirectory()) {
      if (isPresent(FILES_OPTION))
        throw new UsageError(`--files is allowed only for an export, but "${path}" is a folder.`)
      return (await import('../import/import-folder.ts')).importFolder(path, options)
    }
    if (!status?.isFile()) throw new UsageError(`"${path}" does not exist. Name a folder, or the file of an export.`)
    const option = FOLDER_OPTIONS.find(isPresent)
    if (option) throw new UsageError(`${option.long} is allowed only for a folder, but "${path}" is a file.`)
    return (await import('../transfer/restore-export.ts')).restoreExport(path, options)
  })
