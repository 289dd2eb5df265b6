/** Options of the commands that write every entry that matches. */
export const MANY_OPTIONS = {
  /** A condition, `FIELD=VALUE` or `FIELD[OPERATOR]=VALUE`; `id[exists]=true` is every entry. @default needed */
  where: { type: 'string', multiple: true },
  /** Words that must all be found. @default any */
  q: { type: 'string' },
  /** Statuses, separated by commas. @default all of them */
  status: { type: 'string' },
  /** Reports the outcome, and stores nothing. */
  'dry-run': { type: 'boolean' },
} as const
