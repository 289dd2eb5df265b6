import { FULL_RIGHTS } from '../../content/access/field-access.ts'
import type { Values } from '../../content/document.ts'
import { checkBody } from '../../content/writes/body.ts'
import type { CollectionModel } from '../../model/model.ts'
import { UsageError } from '../command.ts'
import { faultsOf, fileErrorReason } from './file-error.ts'
import { readYamlValue } from './source/front-matter.ts'
import type { TargetField } from './target-field.ts'
import { fitField } from './written-lists.ts'

/**
 * Reads what `--set` gives every entry; relations may still hold names.
 *
 * @param pairs `FIELD=VALUE`, each
 * @param targetOf finds a field, or refuses its name
 * @param filled fields that each file fills with a value of its own
 * @throws {UsageError} when a field cannot hold its value, or cannot hold the same in every entry
 */
export function readSettings(
  collection: CollectionModel,
  pairs: readonly string[],
  targetOf: (name: string) => TargetField,
  filled: readonly (string | undefined)[],
): Values {
  const settings: Values = {}
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    if (at < 1) throw new UsageError(`--set takes FIELD=VALUE, such as --set status=published, not "${pair}".`)
    const [name, text] = [pair.slice(0, at), pair.slice(at + 1)]
    const target = targetOf(name)
    if (Object.hasOwn(settings, name)) throw new UsageError(`--set names "${name}" twice. Leave one of them out.`)
    if (filled.includes(name) || isUnique(collection, name)) {
      throw new UsageError(`--set gives every entry the same value, and "${name}" differs from file to file.`)
    }
    settings[name] = readSetting(collection, target, text)
  }
  return settings
}

const isUnique = ({ fieldMap }: CollectionModel, name: string): boolean => {
  const field = fieldMap[name]
  return field?.type.isUnique?.(field.options) === true
}

function readSetting(collection: CollectionModel, target: TargetField, text: string): unknown {
  const { key } = target
  try {
    const value = fitField(key, target, readYamlValue(text, target.schema.type === 'string' && !target.refersTo))
    // Names become ids when the store is open.
    if (!target.refersTo) checkBody(collection, 'update', { [key]: value }, FULL_RIGHTS)
    return value
  } catch (error) {
    throw refuseSetting(key, text, error)
  }
}

/** Why a setting is refused, without the path to its own field. */
export function refuseSetting(key: string, text: string, error: unknown): UsageError {
  const [fault] = faultsOf(error)
  const reason = fault?.path === `/${key}` ? fault.message : fileErrorReason(error)
  return new UsageError(`--set ${key}=${text}: ${reason}.`)
}
