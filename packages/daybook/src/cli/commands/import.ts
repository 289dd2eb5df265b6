import { statSync } from 'node:fs'
import { CliCommand, defineOption, defineRepeatedOption, type Option, UsageError } from '../command.ts'
import type { ImportOptions } from '../import/plan.ts'
import type { RestoreOptions } from '../transfer/restore-export.ts'

const FOLDER_OPTIONS: readonly Option[] = [
  defineOption('--collection <KEY>', 'The collection to fill.', 'needed'),
  defineRepeatedOption('--map <KEY=FIELD>', 'A front-matter key goes to a field of another name.'),
  defineRepeatedOption('--set <FIELD=VALUE>', 'Every entry gets this value; a file with `draft: true` stays a draft.'),
  defineOption('--key <FIELD>', 'The field that tells whether an entry is there already.', 'the slug'),
  defineOption('--body <FIELD>', 'The field that the text goes to.', '`body`, else the only Markdown field'),
  defineOption('--locale-folders', 'The folder has one folder for each locale; files at the same place are one entry.'),
  defineOption(
    '--dry-run',
    'Reports the outcome, and stores nothing: it works on a copy, in the folder for temporary files, of everything that is stored.',
  ),
]

const FILES_OPTION = defineOption(
  '--files <DIR>',
  'Of an export: the folder of the files, as `daybook export --files` wrote it.',
  'files are not brought',
)

/** `daybook import`: brings in a folder of Markdown files, or restores an export. */
export const importContent: CliCommand = new CliCommand('import')
  .argument('<PATH>', 'The folder, or the file of an export.')
  .takes(...FOLDER_OPTIONS, FILES_OPTION)
  .runs(async (path: string, options: ImportOptions & RestoreOptions, command: CliCommand) => {
    const status = statSync(path, { throwIfNoEntry: false })
    const isPresent = (option: Option): boolean => command.getOptionValue(option.attributeName()) !== undefined
    if (status?.isDirectory()) {
      if (isPresent(FILES_OPTION)) throw new UsageError(`--files is about exports, and "${path}" is a folder.`)
      return (await import('../import/import-folder.ts')).importFolder(path, options)
    }
    if (!status?.isFile()) throw new UsageError(`There is no folder "${path}", nor a file.`)
    const option = FOLDER_OPTIONS.find(isPresent)
    if (option) throw new UsageError(`${option.long} is about folders, and "${path}" is a file.`)
    return (await import('../transfer/restore-export.ts')).restoreExport(path, options)
  })
