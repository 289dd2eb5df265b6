import type { GlobalModel } from '../../model/model.ts'
import type { Reader } from '../../store/reads/reader.ts'
import type { GlobalRow } from '../../store/rows.ts'
import type { Writer } from '../../store/writes/writer.ts'
import type { FieldRights } from '../access/field-access.ts'
import type { Values } from '../documents/document.ts'
import { keepOrphaned } from '../documents/orphaned-values.ts'
import { mergeFields } from '../documents/prepare-fields.ts'
import { findStoredReferences, type StoredRevision, serializeTranslations, withSystemKeys } from '../documents/row.ts'
import type { Preconditions } from '../reads/etags.ts'
import { localizeGlobal, toBlankRow } from '../reads/global.ts'
import { toDocumentResponse } from '../reads/present.ts'
import type { DocumentResponse } from '../reads/response.ts'
import type { WriteContext } from './context.ts'
import type { NextRevision, UpdateTarget } from './update.ts'

/** A global that is updated. The first write also stores its defaults. */
export class GlobalTarget implements UpdateTarget<GlobalRow, DocumentResponse> {
  readonly document: GlobalModel
  readonly id: string
  readonly requiresIfMatch: boolean
  readonly #context: WriteContext
  #authorization: Promise<void> | undefined

  constructor(context: WriteContext, global: GlobalModel, { ifNoneMatch }: Preconditions = {}) {
    this.#context = context
    this.document = global
    this.id = global.key
    // `If-None-Match: *` states that the global was never written, so there is no revision for If-Match to name.
    this.requiresIfMatch = global.requireIfMatch && ifNoneMatch === undefined
  }

  async load(read: Reader): Promise<GlobalRow> {
    return (await read.globals.byKey(this.id)) ?? toBlankRow(this.document)
  }

  /** Evaluates the rules once, before any transaction: they do not depend on the content of a global. */
  authorizeUpdate(): Promise<void> {
    this.#authorization ??= this.#authorize()
    return this.#authorization
  }

  async #authorize(): Promise<void> {
    const { access } = this.#context
    await access.authorizeRead(this.document)
    await access.authorizeWrite(this.document, 'update')
  }

  async authorizeResult(): Promise<undefined> {
    return undefined
  }

  async derive(_read: Reader, values: Values): Promise<Values> {
    return values
  }

  async store(
    writer: Writer,
    { row, orphaned }: StoredRevision<GlobalRow>,
    { canonical, skipsUnchanged }: NextRevision,
    rights: FieldRights,
  ): Promise<DocumentResponse> {
    const { document: global } = this
    const { content, actor, author, locale } = this.#context
    const localeChoice = { locale, chain: undefined, isAll: false }
    const isStored = row.seq > 0
    const next = {
      key: global.key,
      created_by: isStored ? row.created_by : author,
      updated_by: author,
      schema_hash: global.schemaHash,
      orphaned: keepOrphaned(global, canonical.values, orphaned),
      locales: serializeTranslations(canonical),
      doc: JSON.stringify(withSystemKeys(global, { key: global.key }, mergeFields(global, {}, canonical.values))),
    }
    if (skipsUnchanged && isSameGlobal(row, next))
      return toDocumentResponse(global, localizeGlobal(content, global, row, localeChoice), rights)
    const references = findStoredReferences(content.model, global, canonical)
    const before = isStored ? row : undefined
    const seq = await writer.globals.write(before, next, references, new Date().toISOString(), actor)
    return toDocumentResponse(global, localizeGlobal(content, global, { ...next, seq }, localeChoice), rights)
  }
}

/** Returns true if an update changes nothing. A row of an older config is always written again. */
function isSameGlobal(stored: GlobalRow, next: Omit<GlobalRow, 'seq'>): boolean {
  const isStored = stored.seq > 0
  return (
    isStored && stored.schema_hash === next.schema_hash && stored.doc === next.doc && stored.locales === next.locales
  )
}
