import type { Caller } from '../../auth/adapter.ts'
import type { FieldModel } from '../../model/model.ts'
import type { AccessFilter } from '../../query/where.ts'
import { Access } from './access.ts'
import type { AccessResult } from './rules.ts'

const NOTHING_HIDDEN: ReadonlySet<string> = new Set()

/** The access of trusted code, which may see and do everything. The journal still records its caller. */
export class UnrestrictedAccess extends Access {
  override get storedCaller(): null {
    return null
  }

  override callerFor(): Caller {
    return this.caller
  }

  override async evaluateRead(): Promise<AccessResult> {
    return true
  }

  override async evaluateDraftAccess(): Promise<AccessResult> {
    return true
  }

  override seesPublishedOnly(): boolean {
    return false
  }

  override async authorizeRead(): Promise<AccessFilter | undefined> {
    return undefined
  }

  override async authorizeWrite(): Promise<AccessFilter | undefined> {
    return undefined
  }

  override async authorizeSomeWrite(): Promise<void> {}

  override async evaluateWrite(): Promise<AccessResult> {
    return true
  }

  override hidden(): ReadonlySet<string> {
    return NOTHING_HIDDEN
  }

  override canSeeAuthors(): boolean {
    return true
  }

  override canWriteField(_document: unknown, _field: FieldModel): boolean {
    return true
  }
}
