import type { Caller } from '../../auth/adapter.ts'
import type { FieldModel } from '../../model/model.ts'
import type { AccessFilter } from '../../query/where.ts'
import { Access } from './access.ts'
import type { Ruling } from './rules.ts'

const NOTHING_HIDDEN: ReadonlySet<string> = new Set()

/** The access of code that no rule stops: it may see and do everything. The journal names its caller. */
export class UnrestrictedAccess extends Access {
  override get author(): null {
    return null
  }

  override callerFor(): Caller {
    return this.caller
  }

  override async rulingOnReads(): Promise<Ruling> {
    return true
  }

  override async rulingOnDrafts(): Promise<Ruling> {
    return true
  }

  override seesPublishedOnly(): boolean {
    return false
  }

  override async requireRead(): Promise<AccessFilter | undefined> {
    return undefined
  }

  override async requireWrite(): Promise<AccessFilter | undefined> {
    return undefined
  }

  override async requireSomeWrite(): Promise<void> {}

  override async rulingOnWrite(): Promise<Ruling> {
    return true
  }

  override hidden(): ReadonlySet<string> {
    return NOTHING_HIDDEN
  }

  override seesPeople(): boolean {
    return true
  }

  override mayWriteField(_document: unknown, _field: FieldModel): boolean {
    return true
  }
}
