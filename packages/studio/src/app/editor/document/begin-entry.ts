import type { StudioCollection } from '../../model/studio-model.ts'
import type { LocalCopy } from '../saving/local-copies.ts'
import { getCopyKey } from '../saving/local-copies.ts'
import { browserCopies, generateName } from './open-document.ts'

/**
 * Begins a new entry as a local copy in this browser. The service stores it once the user saves it.
 *
 * @param values the first values, by path, as the user might have typed them
 * @param person the subject of the user
 * @returns the `newId` of the entry
 */
export async function beginEntry(
  { key }: StudioCollection,
  values: ReadonlyMap<string, unknown>,
  person: string,
): Promise<string> {
  const newId = generateName()
  const edits = [...values].map(([path, mine]) => ({ path, base: null, mine }))
  const document = { collection: key, id: null, newId }
  const head = { version: 1, person, document, editor: generateName(), savedAt: Date.now() } as const
  const copy: LocalCopy = { ...head, tag: null, values: {}, edits, sent: [], aside: [] }
  await browserCopies.set(getCopyKey(copy), copy)
  return newId
}
