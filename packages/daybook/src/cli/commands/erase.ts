import { SYSTEM } from '../../auth/adapter.ts'
import { actorOf } from '../../content/engine.ts'
import { StartupError } from '../../errors.ts'
import { eraseHistory } from '../../journal/erase.ts'
import { compileModel } from '../../model/compile.ts'
import type { Model } from '../../model/model.ts'
import { openEngine } from '../../service.ts'
import type { JournalDocument } from '../../store/reads/history-reader.ts'
import type { Reader } from '../../store/reads/read.ts'
import { GLOBALS } from '../../store/tables/tables.ts'
import { loadConfig } from '../config-file.ts'
import { dataFolder, readCommandOptions } from '../options.ts'
import { UsageError } from '../usage.ts'

const OPTIONS = {
  /** Erases; without it, the command says what it would erase. */
  yes: { type: 'boolean' },
} as const

/**
 * `daybook erase COLLECTION ID`, `daybook erase globals KEY`: erases the content of all former versions of a document.
 *
 * @throws {UsageError} when the command line is wrong; {StartupError} when the store cannot be used, or has no such document
 */
export async function erase(args: readonly string[]): Promise<number> {
  const options = readCommandOptions(args, OPTIONS)
  const config = await loadConfig(options.text('config'))
  const model = compileModel(config)
  const document = documentOf(options.positionals, model)
  const { engine, close } = await openEngine(model, config, dataFolder(options), { isServing: false })
  try {
    const { store } = engine
    const name = `${document.collection} ${document.id}`
    if (!(await store.read.history.isKnown(document)))
      throw new StartupError(`${name} was never stored here. Look the id up: it is a UUID, not a slug.`)
    const isSure = options.flag('yes')
    const count = isSure
      ? await eraseHistory(store, document, actorOf(SYSTEM))
      : await store.read.history.countErasable(document)
    const done = isSure ? 'erased.' : 'would be erased. To erase them, write --yes.'
    process.stdout.write(`${count} former ${count === 1 ? 'version' : 'versions'} of ${name} ${done}\n`)
    if (await isPresent(store.read, model, document)) process.stdout.write(STAYS)
    return 0
  } finally {
    await close()
  }
}

const STAYS = 'What it is now stays, and so does its working copy. To erase these, delete it, and erase it again.\n'

function documentOf([collection = '', id = '', ...others]: readonly string[], model: Model): JournalDocument {
  const { collections, globals } = model
  if (id === '' || others.length > 0)
    throw new UsageError('Write: daybook erase COLLECTION ID, or daybook erase globals KEY.')
  if (collection === GLOBALS && !globals.has(id))
    throw new UsageError(`There is no global "${id}". Write one of: ${[...globals.keys()].join(', ')}.`)
  if (collection !== GLOBALS && !collections.has(collection))
    throw new UsageError(`There is no collection "${collection}". Write one of: ${[...collections.keys()].join(', ')}.`)
  return { collection, id: collection === GLOBALS ? id : id.toLowerCase() }
}

async function isPresent(read: Reader, { collections }: Model, { collection, id }: JournalDocument): Promise<boolean> {
  const own = collections.get(collection)
  return (own ? await read.entries.stored(own, id) : await read.globals.byKey(id)) !== undefined
}
