import { isRecord } from '../../fields/field.ts'
import type { CollectionModel } from '../../model/model.ts'
import type { CommandLine } from '../options.ts'
import { UsageError } from '../usage.ts'

/**
 * The merge patch of a command line.
 *
 * @throws {UsageError} when there is none, or more than one
 */
export function readPatch(options: CommandLine, collection: CollectionModel): Readonly<Record<string, unknown>> {
  const json = options.text('json')
  const set = options.texts('set')
  if ((json === undefined) === (set.length === 0)) throw new UsageError('Write --set FIELD=VALUE or --json JSON.')
  if (json === undefined) return Object.fromEntries(set.map((one) => readSet(one, collection)))
  const patch = parse(json)
  if (isRecord(patch)) return patch
  throw new UsageError(`--json ${json}: write an object, such as '{"status":"draft"}'.`)
}

function readSet(given: string, { schemas }: CollectionModel): readonly [string, unknown] {
  const at = given.indexOf('=')
  if (at < 1) throw new UsageError(`--set ${given}: write FIELD=VALUE.`)
  const [key, text] = [given.slice(0, at), given.slice(at + 1)]
  const properties = schemas.update.properties as Readonly<Record<string, unknown>> | undefined
  if (text === 'null') return [key, null]
  // A field that takes texts takes this one as it is; validation names what another field does not take.
  return [key, takesText(properties?.[key]) ? text : (parse(text) ?? text)]
}

function takesText(schema: unknown): boolean {
  if (!isRecord(schema)) return true
  const { type, enum: values = [], anyOf = [], oneOf = [] } = schema as Readonly<Record<string, readonly unknown[]>>
  if ([type].flat().includes('string' as never) || values.some((one) => typeof one === 'string')) return true
  return [...anyOf, ...oneOf].some(takesText)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
