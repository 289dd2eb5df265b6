import type { DaybookConfig } from '../config/config.ts'
import { DaybookError } from '../errors.ts'
import type { DeriveTools } from '../fields/field.ts'
import { SEED_NOTE } from '../store/notes.ts'
import { ServiceContent } from './caller-content.ts'
import type { ContentContext } from './context.ts'

/**
 * Fills an empty store with the seed of the config, once, in one transaction. A store with content is left unchanged.
 *
 * @throws {DaybookError} that names the first rejected document
 */
export async function seedStore(context: ContentContext, { seed }: DaybookConfig, tools: DeriveTools): Promise<void> {
  if (!seed || (await context.store.read.journal.head()) > 0) return
  await context.store.runOnce(SEED_NOTE, async (writer) => {
    // Concurrent writes of a seed run one after another, as those of requests do.
    let lastTurn: Promise<unknown> = Promise.resolve()
    const seedContext = context.withStore(context.store.within(writer.lendToHook()), tools)
    const content = new ServiceContent(seedContext, (work) => {
      const turn = lastTurn.then(() => work(writer))
      lastTurn = turn
      return turn
    })
    let entries = 0
    await seed({
      create: (collection, data) => {
        entries += 1
        return withDocumentName(`entry ${entries}, of ${collection}`, () => content.create(collection, data))
      },
      update: (collection, id, data, options) =>
        withDocumentName(`a change of ${collection}`, () => content.update(collection, id, data, options)),
      writeGlobal: (key, data, options) =>
        withDocumentName(`the global ${key}`, () => content.writeGlobal(key as never, data as never, options)),
    })
  })
}

/** Runs a write, and names its document in the error if it fails. */
async function withDocumentName<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof DaybookError)) throw error
    const { code, message, details } = error
    const reason = details.issues ? '' : ` ${message}`
    throw new DaybookError(code, `The seed of the config was rejected at ${name}.${reason}`, details, error)
  }
}
