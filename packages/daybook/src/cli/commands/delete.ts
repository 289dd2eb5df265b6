import { deleteMany } from '../../content/writes/many/many.ts'
import { MANY_OPTIONS } from '../many/many-options.ts'
import { runMany } from '../many/run-many.ts'
import { readCommandOptions } from '../options.ts'

/**
 * `daybook delete`: deletes every entry that matches.
 *
 * @throws {UsageError} when the command line names what is not there
 */
export async function deleteEntries(args: readonly string[]): Promise<number> {
  return runMany(readCommandOptions(args, MANY_OPTIONS), {
    done: 'deleted',
    prepare: () => (context, entries) => deleteMany(context, entries, { ifMatch: '*' }),
  })
}
