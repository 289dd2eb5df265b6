import { DaybookError } from '../../errors.ts'

/** What is said where an entry is named by something else than its id; the same whether such an entry is there or not. */
export const notAnId = (): DaybookError =>
  new DaybookError('NOT_FOUND', 'This address takes the id of an entry, not its slug. GET by slug answers the id.')
