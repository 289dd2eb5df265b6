import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import type { DocumentModel, Model } from '../model/model.ts'

export interface ServingProcess {
  /** See {@link processName}. */
  readonly name: string
  /** See {@link digestConfig}. */
  readonly config: string
}

/** Returns the host and the id of this process, such as `web-1/4711`. */
export const processName = (): string => `${hostname()}/${process.pid}`

/**
 * Returns a digest of a config as eight hexadecimal digits, all that a lock of PostgreSQL can hold. It is equal for configs that store and
 * accept the same documents.
 */
export function digestConfig({ collections, globals, locales }: Model): string {
  const documents = [...collections.values(), ...globals.values()].map(outlineDocument)
  const chains = locales && [locales.default, ...locales.chains.values()]
  return createHash('sha256')
    .update(JSON.stringify([documents, chains]))
    .digest('hex')
    .slice(0, 8)
}

const outlineDocument = ({ kind, key, schemaHash, schemas }: DocumentModel): unknown => [
  kind,
  key,
  schemaHash,
  schemas.create,
]
