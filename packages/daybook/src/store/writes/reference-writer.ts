import type { WriteStep } from '../connection.ts'
import type { StoreWriteContext } from '../database.ts'
import type { FieldReference } from '../rows.ts'
import { build, param, prepare } from '../statement.ts'
import { insertSteps, toReferenceRows } from './entry-rows.ts'

export class ReferenceWriter {
  readonly #source: StoreWriteContext

  constructor(source: StoreWriteContext) {
    this.#source = source
  }

  /** Deletes the references of a document that was deleted or is no longer declared. */
  async drop(collection: string, id: string): Promise<void> {
    await this.#source.connection.run(DROP_REFERENCES, { collection, id })
  }

  /** Returns the statements that store the references of a new document. */
  addSteps(collection: string, id: string, references: readonly FieldReference[]): readonly WriteStep[] {
    return insertSteps(this.#source, 'daybook$refs', toReferenceRows({ id, references }, collection))
  }

  /** Returns the statements that replace the references of a document. */
  replaceSteps(collection: string, id: string, references: readonly FieldReference[]): readonly WriteStep[] {
    return [() => this.drop(collection, id), ...this.addSteps(collection, id, references)]
  }
}

const DROP_REFERENCES = prepare(
  build
    .deleteFrom('daybook$refs')
    .where('from_collection', '=', param<string>('collection'))
    .where('from_id', '=', param<string>('id')),
)
