import { SYSTEM } from '../../auth/adapter.ts'
import { getActor } from '../../content/context.ts'
import { StartupError } from '../../errors.ts'
import { eraseHistory } from '../../journal/retention.ts'
import type { Model } from '../../model/model.ts'
import type { JournalDocument } from '../../store/reads/history-reader.ts'
import type { Reader } from '../../store/reads/reader.ts'
import { GLOBALS } from '../../store/tables/tables.ts'
import { CliCommand, type CommonOptions, defineOption, UsageError } from '../command.ts'
import { openCommandStore } from '../open-store.ts'

interface EraseOptions extends CommonOptions {
  readonly yes?: boolean
}

/**
 * `daybook erase COLLECTION ID`, `daybook erase globals KEY`: erases the content of all former versions of a document.
 */
export const erase: CliCommand = new CliCommand('erase')
  .arguments('<COLLECTION> <ID>')
  .takes(defineOption('--yes', 'Erases. Without it, the command only reports what it would erase.'))
  .runs(async (collection: string, id: string, { yes: isSure = false, ...options }: EraseOptions) => {
    await using opened = await openCommandStore(options)
    const { model } = opened
    const { store } = opened.context
    const document = requireDocument(model, collection, id)
    const name = `${document.collection} ${document.id}`
    if (!(await store.read.history.isKnown(document)))
      throw new StartupError(`${name} does not exist and never did. Check the id: it is a UUID, not a slug.`)
    const count = isSure
      ? await eraseHistory(store, document, getActor(SYSTEM))
      : await store.read.history.countErasable(document)
    const done = isSure ? 'erased.' : 'would be erased. To erase them, add --yes.'
    process.stdout.write(`${count} former ${count === 1 ? 'version' : 'versions'} of ${name} ${done}\n`)
    if (await isPresent(store.read, model, document)) process.stdout.write(STAYS)
    return 0
  })

const STAYS =
  'The current version and the draft are kept. To erase them as well, delete the document and run the command again.\n'

function requireDocument({ collections, globals }: Model, collection: string, id: string): JournalDocument {
  if (collection === GLOBALS && !globals.has(id))
    throw new UsageError(`The global "${id}" does not exist. Use one of: ${[...globals.keys()].join(', ')}.`)
  if (collection !== GLOBALS && !collections.has(collection))
    throw new UsageError(
      `The collection "${collection}" does not exist. Use one of: ${[...collections.keys()].join(', ')}.`,
    )
  return { collection, id: collection === GLOBALS ? id : id.toLowerCase() }
}

async function isPresent(read: Reader, { collections }: Model, { collection, id }: JournalDocument): Promise<boolean> {
  const model = collections.get(collection)
  return (model ? await read.entries.stored(model, id) : await read.globals.byKey(id)) !== undefined
}
