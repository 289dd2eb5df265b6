import type { DaybookConfig } from '../config/config.ts'
import { DaybookError } from '../errors.ts'
import type { DeriveTools } from '../fields/field.ts'
import { SEED_NOTE } from '../store/notes.ts'
import { ServiceContent } from './caller-content.ts'
import type { ContentContext } from './context.ts'

/**
 * Fills an empty store with the seed of the config, once, in one transaction. A store that holds anything already is left alone.
 *
 * @throws {DaybookError} with the place of the first document that is refused
 */
export async function seedStore(engine: ContentContext, { seed }: DaybookConfig, tools: DeriveTools): Promise<void> {
  if (!seed || (await engine.store.read.journal.head()) > 0) return
  await engine.store.runOnce(SEED_NOTE, async (writer) => {
    // Writes that a seed starts at once take turns, as those of requests do.
    let last: Promise<unknown> = Promise.resolve()
    const seedEngine = engine.withStore(engine.store.within(writer.lendToHook()), tools)
    const content = new ServiceContent(seedEngine, (work) => {
      const turn = last.then(() => work(writer))
      last = turn
      return turn
    })
    let entries = 0
    await seed({
      create: (collection, data) => {
        entries += 1
        return writeDocument(`entry ${entries}, of ${collection}`, () => content.create(collection, data))
      },
      update: (collection, id, data, options) =>
        writeDocument(`a change of ${collection}`, () => content.update(collection, id, data, options)),
      writeGlobal: (key, data, options) =>
        writeDocument(`the global ${key}`, () => content.writeGlobal(key as never, data as never, options)),
    })
  })
}

/** Names the document in the error of a seed that is refused. */
async function writeDocument<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof DaybookError)) throw error
    const { code, message, details } = error
    const reason = details.issues ? '' : ` ${message}`
    throw new DaybookError(code, `The seed of the config is refused at ${name}:${reason}`, details, error)
  }
}
