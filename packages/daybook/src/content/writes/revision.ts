import type { DocumentModel, Model } from '../../model/model.ts'
import type { EntryRow, FieldReference } from '../../store/reads/rows.ts'
import type { PeopleColumns } from '../../store/tables/tables.ts'
import { orphanedIn, type Values } from '../document.ts'
import type { Canonical } from '../locales/localized.ts'
import { ownIn } from '../locales/published-locales.ts'
import { peopleOf, storedValues } from '../reads/present.ts'
import { allReferences, toCanonical } from './row.ts'

/** The columns that a document is written in. */
export type StoredColumns = Pick<EntryRow, 'doc' | 'seq' | 'schema_hash' | 'orphaned'> &
  PeopleColumns & {
    readonly status?: string | null
    readonly locales: string | null
  }

/** One revision of a document as it is stored; its text is parsed once, and only when it is needed. */
export class Revision<Row extends StoredColumns = StoredColumns> {
  readonly row: Row
  readonly #model: Model
  readonly #document: DocumentModel
  #raw: Values | undefined
  #canonical: Canonical | undefined

  constructor(model: Model, document: DocumentModel, row: Row) {
    this.row = row
    this.#model = model
    this.#document = document
  }

  /** What the text says. */
  get raw(): Values {
    this.#raw ??= JSON.parse(this.row.doc) as Values
    return this.#raw
  }

  /** In all its locales, as the present config has it. */
  get canonical(): Canonical {
    this.#canonical ??= toCanonical(storedValues(this.#document, this.row, this.raw), this.row.locales)
    return this.#canonical
  }

  /** The default locale's values, its own keys included. */
  get values(): Values {
    return this.canonical.values
  }

  /** The same, with who made and last changed it: what the config's own code is told. */
  get told(): Values {
    return { ...this.values, ...peopleOf(this.row) }
  }

  get references(): readonly FieldReference[] {
    return allReferences(this.#model, this.#document, this.canonical)
  }

  /** Values that the present config has no place for, as JSON. */
  get orphaned(): string | null {
    return orphanedIn(this.#document, this.row, this.raw)
  }

  /** What a locale itself says, without fallbacks. */
  own(locale: string | undefined): Values {
    return ownValues(this.#model, this.#document, this.canonical, locale)
  }

  /** The same revision, if this row still is it; else the one that took its place. */
  updated(row: Row): Revision<Row> {
    return row.seq === this.row.seq ? this : new Revision(this.#model, this.#document, row)
  }
}

/** What a locale itself says of a document, without fallbacks. */
export function ownValues(
  { locales }: Model,
  document: DocumentModel,
  canonical: Canonical,
  locale: string | undefined,
): Values {
  if (!locales || locale === undefined || document.localized.size === 0) return canonical.values
  return ownIn(document, canonical, locales, locale)
}
