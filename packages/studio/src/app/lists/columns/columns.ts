import type { StudioCollection } from '../../model/studio-model.ts'
import type { ListField } from '../list-fields.ts'

/** The most columns behind the title: a row of more is no row any more. */
export const MAX_COLUMNS = 12

/** The columns behind the title that a list has by itself. */
export const usualColumns = ({ statusField }: StudioCollection): readonly string[] =>
  [statusField, 'updatedAt'].filter((path) => path !== null)

/** Fields that can be a column, apart from the title. */
export const columnFields = (fields: readonly ListField[], { titleField }: StudioCollection): readonly ListField[] =>
  fields.filter(({ path, isShort }) => isShort && path !== titleField)

/**
 * The columns that an address names, in its order. Names that the model does not have, such as those of an older config, are left out.
 *
 * @param text paths by commas; `-` alone: no columns
 */
export function readColumns(text: string, fields: readonly ListField[]): readonly ListField[] {
  const named = new Set(text.split(','))
  const byPath = new Map(fields.map((field) => [field.path, field]))
  return [...named].flatMap((path) => byPath.get(path) ?? []).slice(0, MAX_COLUMNS)
}

/** Columns as an address names them. */
export const writeColumns = (paths: readonly string[]): string => (paths.length === 0 ? '-' : paths.join(','))
