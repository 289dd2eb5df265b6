import type { CollectionDescription, FieldDescription, GlobalDescription, ModelDescription } from 'daybook'
import type { Messages } from '../messages/en.ts'

/** The key of the collection of files, which has its own pages. */
export const ASSETS = 'assets'

export interface StudioCollection extends Omit<CollectionDescription, 'titleField'> {
  readonly label: string
  /** The field whose value is the title of an entry; `undefined` if no field is suitable. */
  readonly titleField: string | undefined
}

export interface StudioGlobal extends GlobalDescription {
  readonly label: string
}

/** The part of the model that the session may read. */
export interface StudioModel extends Pick<ModelDescription, 'locales' | 'plugins' | 'imageWidths'> {
  readonly collections: ReadonlyMap<string, StudioCollection>
  readonly globals: ReadonlyMap<string, StudioGlobal>
  /** The collection of shared views, which is not content; `undefined` if the config has none. */
  readonly sharedViews: StudioCollection | undefined
}

/** The key of the collection of shared views that the plugin adds. */
const SHARED_VIEWS = 'studioViews'

export function toStudioModel({ collections, globals, locales, plugins, imageWidths }: ModelDescription): StudioModel {
  const byKey = new Map(
    collections.map((collection) => [
      collection.key,
      { ...collection, label: toLabel(collection.key), titleField: collection.titleField ?? undefined },
    ]),
  )
  const sharedViews = byKey.get(SHARED_VIEWS)
  byKey.delete(SHARED_VIEWS)
  return {
    locales,
    plugins,
    imageWidths,
    collections: byKey,
    globals: new Map(globals.map((global) => [global.key, { ...global, label: toLabel(global.key) }])),
    sharedViews,
  }
}

/** Turns a key into a label: `publishedOn` becomes `Published on`. */
export function toLabel(key: string): string {
  const words = key
    .replaceAll('_', ' ')
    .replace(/([a-z0-9])([A-Z])/g, (_, end, start) => `${end} ${start.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function getEntryTitle(
  { titleField }: StudioCollection,
  entry: Readonly<Record<string, unknown>>,
): string | undefined {
  const title = titleField === undefined ? entry.id : entry[titleField]
  return typeof title === 'string' && title.trim() !== '' ? title : undefined
}

/** Returns the fields of a form in the order of the config, reverse fields last. */
export const getFormFields = (fields: readonly FieldDescription[]): readonly FieldDescription[] => {
  const isReverse = ({ type }: FieldDescription): boolean => type === 'reverse'
  return [...fields.filter((field) => !isReverse(field)), ...fields.filter(isReverse)]
}

/** Turns a field path into words: `parts.0.title` becomes `Parts › 1 › Title`. */
export const formatPath = (path: string): string =>
  path
    .split('.')
    .map((step) => (/^\d+$/.test(step) ? String(Number(step) + 1) : toLabel(step)))
    .join(' › ')

/** Returns the name of a status: translated if it is a built-in one, else the label of its key. */
export function getStatusLabel(status: string, { publishing }: Messages): string {
  const { statuses } = publishing
  return (Object.hasOwn(statuses, status) ? statuses[status] : undefined) ?? toLabel(status)
}
