import type { CollectionDescription, FieldDescription, GlobalDescription, ModelDescription } from 'daybook'
import type { Messages } from '../messages/en.ts'

/** The key of the collection of files, which has pages of its own. */
export const ASSETS = 'assets'

/** A collection, as the Studio shows it. */
export interface StudioCollection extends Omit<CollectionDescription, 'titleField'> {
  /** Its name for people. */
  readonly label: string
  /** The field that names its entries; `undefined`: there is none that could. */
  readonly titleField: string | undefined
}

/** A global, as the Studio shows it. */
export interface StudioGlobal extends GlobalDescription {
  readonly label: string
}

/** The model, as far as the session may know it. */
export interface StudioModel extends Pick<ModelDescription, 'locales' | 'plugins' | 'imageWidths'> {
  readonly collections: ReadonlyMap<string, StudioCollection>
  readonly globals: ReadonlyMap<string, StudioGlobal>
  /** The collection of shared views, which is no collection of content; `undefined`: the config has none. */
  readonly sharedViews: StudioCollection | undefined
}

/** The key of the collection of shared views, as the plugin makes it. */
const SHARED_VIEWS = 'studioViews'

/** Makes of the service's description what the Studio needs. */
export function toStudioModel({ collections, globals, locales, plugins, imageWidths }: ModelDescription): StudioModel {
  const all = new Map(
    collections.map((one) => [one.key, { ...one, label: toLabel(one.key), titleField: one.titleField ?? undefined }]),
  )
  const sharedViews = all.get(SHARED_VIEWS)
  all.delete(SHARED_VIEWS)
  return {
    locales,
    plugins,
    imageWidths,
    collections: all,
    globals: new Map(globals.map((one) => [one.key, { ...one, label: toLabel(one.key) }])),
    sharedViews,
  }
}

/** A key in words: `publishedOn` is `Published on`. */
export function toLabel(key: string): string {
  const words = key
    .replaceAll('_', ' ')
    .replace(/([a-z0-9])([A-Z])/g, (_, end, start) => `${end} ${start.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** What an entry is called; `undefined` where it has no name. */
export function getEntryTitle(
  { titleField }: StudioCollection,
  entry: Readonly<Record<string, unknown>>,
): string | undefined {
  const title = titleField === undefined ? entry.id : entry[titleField]
  return typeof title === 'string' && title.trim() !== '' ? title : undefined
}

/** The fields that a form shows, in the order of the config; what refers to the document comes last. */
export const getFormFields = (fields: readonly FieldDescription[]): readonly FieldDescription[] => {
  const isReverse = ({ type }: FieldDescription): boolean => type === 'reverse'
  return [...fields.filter((field) => !isReverse(field)), ...fields.filter(isReverse)]
}

/** A place in words: `parts.0.title` is `Parts › 1 › Title`. */
export const formatPath = (place: string): string =>
  place
    .split('.')
    .map((step) => (/^\d+$/.test(step) ? String(Number(step) + 1) : toLabel(step)))
    .join(' › ')

/** What a status is called: those that every config may have, in the reader's language; others by the word of the config. */
export function getStatusLabel(status: string, { publishing }: Messages): string {
  const { statuses } = publishing
  return (Object.hasOwn(statuses, status) ? statuses[status] : undefined) ?? toLabel(status)
}
