import { UsageError } from '../usage.ts'

/** `FIELD=VALUE`, `FIELD[OPERATOR]=VALUE`, or a group: `or[0][FIELD][OPERATOR]=VALUE`. */
const CONDITION = /^([^=[\]]+)((?:\[[^[\]]+\])*)=(.*)$/s

/**
 * A condition of the command line, as a query parameter.
 *
 * @throws {UsageError} when it has another form
 */
export function toWhereParam(given: string): readonly [name: string, value: string] {
  const [, field, path, value] = CONDITION.exec(given) ?? []
  if (field !== undefined && value !== undefined) return [`where[${field}]${path || '[eq]'}`, value]
  throw new UsageError(
    `--where ${given}: write FIELD=VALUE, or FIELD[OPERATOR]=VALUE such as createdAt[lt]=2020-01-01.`,
  )
}
