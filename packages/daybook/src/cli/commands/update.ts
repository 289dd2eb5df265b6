import { updateMany } from '../../content/writes/many/many.ts'
import { MANY_OPTIONS } from '../many/many-options.ts'
import { readPatch } from '../many/patch-option.ts'
import { runMany } from '../many/run-many.ts'
import { readCommandOptions } from '../options.ts'

const OPTIONS = {
  /** A field's new value, `FIELD=VALUE`; `null` empties it. A field that takes no text reads the value as JSON. @default needed, or `--json` */
  set: { type: 'string', multiple: true },
  /** The change as a JSON merge patch. @default needed, or `--set` */
  json: { type: 'string' },
  /** The locale that is written. @default the config's */
  locale: { type: 'string' },
} as const

/**
 * `daybook update`: changes every entry that matches.
 *
 * @throws {UsageError} when the command line names what is not there
 */
export async function update(args: readonly string[]): Promise<number> {
  const options = readCommandOptions(args, { ...MANY_OPTIONS, ...OPTIONS })
  return runMany(options, {
    done: 'updated',
    prepare: (collection) => {
      const patch = readPatch(options, collection)
      return (context, entries) => updateMany(context, entries, patch, { ifMatch: '*' })
    },
  })
}
