import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import type { DocumentModel, Model } from '../model/model.ts'

/** A process that serves a store. */
export interface ServingProcess {
  /** See {@link processName}. */
  readonly name: string
  /** See {@link digestConfig}. */
  readonly config: string
}

/** The host and the id of this process, such as `web-1/4711`. */
export const processName = (): string => `${hostname()}/${process.pid}`

/**
 * Makes eight hexadecimal digits of a config. They are the same for configs that store and accept the same documents. A lock of
 * PostgreSQL has no room for more.
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
