import type {
  BlockDescription,
  CollectionDescription,
  FieldDescription,
  FormDescription,
  FormPartDescription,
  GlobalDescription,
  ModelDescription,
  ValueDescription,
} from 'daybook'
import type { Messages } from '../messages/en.ts'
import { getText } from './interface-text.ts'

/** The key of the collection of files, which has its own pages. */
export const ASSETS = 'assets'

/** The members of a description whose texts are in the user's language. */
interface StudioTexts {
  readonly description?: string | undefined
  /** The labels of options, by option. Options without a label are left out. */
  readonly optionLabels?: Readonly<Record<string, string>> | undefined
  readonly fields?: readonly StudioField[] | undefined
  readonly blocks?: readonly StudioBlock[] | undefined
  readonly of?: StudioItem | undefined
}

/** A field, with its texts in the user's language. */
export interface StudioField extends Omit<FieldDescription, keyof StudioTexts | 'label'>, StudioTexts {
  /** @default the key, in words */
  readonly label: string
}

/** The items of a list, with their texts in the user's language. */
export interface StudioItem extends Omit<ValueDescription, keyof StudioTexts | 'label'>, StudioTexts {
  readonly label?: string | undefined
}

/** A kind of block, with its texts in the user's language. */
export interface StudioBlock extends Omit<BlockDescription, 'label' | 'description' | 'fields'> {
  /** @default the type, in words */
  readonly label: string
  readonly description?: string | undefined
  readonly fields: readonly StudioField[]
}

/** Rows of a form, with their heading in the user's language. */
export interface StudioFormPart extends Omit<FormPartDescription, 'label'> {
  readonly label: string | undefined
}

/** A tab of a form, with its name in the user's language. */
export interface StudioFormTab {
  /** @default the only tab has none */
  readonly label: string | undefined
  readonly parts: readonly StudioFormPart[]
}

/** The arrangement of fields in a form. */
export interface StudioForm {
  readonly tabs: readonly StudioFormTab[]
}

/** The texts of a collection or global in the user's language. */
interface DocumentTexts {
  /** @default the key, in words */
  readonly label: string
  readonly description: string | undefined
  readonly fields: readonly StudioField[]
  /** `undefined` if the fields are one below the other. */
  readonly form: StudioForm | undefined
}

type DescribedTexts = 'label' | 'singularLabel' | 'description' | 'fields' | 'form'

export interface StudioCollection extends Omit<CollectionDescription, DescribedTexts | 'titleField'>, DocumentTexts {
  /** The name of one entry; `undefined` if the config has none. */
  readonly singularLabel: string | undefined
  /** The field whose value is the title of an entry; `undefined` if no field is suitable. */
  readonly titleField: string | undefined
}

export interface StudioGlobal extends Omit<GlobalDescription, DescribedTexts>, DocumentTexts {}

/** The part of the model that the session may read. */
export interface StudioModel extends Pick<ModelDescription, 'locales' | 'plugins' | 'imageWidths'> {
  readonly collections: ReadonlyMap<string, StudioCollection>
  readonly globals: ReadonlyMap<string, StudioGlobal>
  /** The collection of shared views, which is not content; `undefined` if the config has none. */
  readonly sharedViews: StudioCollection | undefined
}

/** The key of the collection of shared views that the plugin adds. */
const SHARED_VIEWS = 'studioViews'

/**
 * Returns the model with its texts in one language.
 *
 * @param locale the user's locale, such as `de-CH`
 */
export function toStudioModel(model: ModelDescription, locale: string): StudioModel {
  const { collections, globals, locales, plugins, imageWidths } = model
  const byKey = new Map(
    collections.map((collection): [string, StudioCollection] => [
      collection.key,
      {
        ...collection,
        ...getDocumentTexts(collection, locale),
        singularLabel: getText(collection.singularLabel, locale),
        titleField: collection.titleField ?? undefined,
      },
    ]),
  )
  const sharedViews = byKey.get(SHARED_VIEWS)
  byKey.delete(SHARED_VIEWS)
  return {
    locales,
    plugins,
    imageWidths,
    collections: byKey,
    globals: new Map(globals.map((global) => [global.key, { ...global, ...getDocumentTexts(global, locale) }])),
    sharedViews,
  }
}

const getDocumentTexts = (document: CollectionDescription | GlobalDescription, locale: string): DocumentTexts => ({
  label: getLabel(document, document.key, locale),
  description: getText(document.description, locale),
  fields: document.fields.map((field) => toStudioField(field, locale)),
  form: document.form && toStudioForm(document.form, locale),
})

const toStudioForm = ({ tabs }: FormDescription, locale: string): StudioForm => ({
  tabs: tabs.map(({ label, parts }) => ({
    label: getText(label, locale),
    parts: parts.map((part) => ({ ...part, label: getText(part.label, locale) })),
  })),
})

const getLabel = ({ label }: Pick<FieldDescription, 'label'>, key: string, locale: string): string =>
  getText(label, locale) ?? toLabel(key)

const toStudioField = (field: FieldDescription, locale: string): StudioField => ({
  ...field,
  ...getValueTexts(field, locale),
  label: getLabel(field, field.key, locale),
})

function getValueTexts(value: ValueDescription, locale: string): Required<StudioTexts> {
  const { description, optionLabels, fields, blocks, of } = value
  const labels = Object.entries(optionLabels ?? {}).map(([option, label]) => [option, getText(label, locale) ?? option])
  return {
    description: getText(description, locale),
    optionLabels: optionLabels && Object.fromEntries(labels),
    fields: fields?.map((field) => toStudioField(field, locale)),
    blocks: blocks?.map((block) => ({
      ...block,
      label: getLabel(block, block.type, locale),
      description: getText(block.description, locale),
      fields: block.fields.map((field) => toStudioField(field, locale)),
    })),
    of: of && { ...of, ...getValueTexts(of, locale), label: getText(of.label, locale) },
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
export const getFormFields = (fields: readonly StudioField[]): readonly StudioField[] => {
  const isReverse = ({ type }: StudioField): boolean => type === 'reverse'
  return [...fields.filter((field) => !isReverse(field)), ...fields.filter(isReverse)]
}

/**
 * Turns a field path into the labels of its steps: `parts.0.title` becomes `Parts › 1 › Title`.
 *
 * @param fields the fields at the first step; steps without a field become words
 */
export function formatPath(path: string, fields: readonly StudioField[] = []): string {
  let inside: readonly StudioField[] = fields
  const labels = path.split('.').map((step) => {
    if (/^\d+$/.test(step)) return String(Number(step) + 1)
    const field = inside.find(({ key }) => key === step)
    inside = field ? listInnerFields(field) : []
    return field?.label ?? toLabel(step)
  })
  return labels.join(' › ')
}

/** Lists the fields inside a field, those of all kinds of blocks. */
const listInnerFields = ({ fields = [], of, blocks = [] }: StudioTexts): readonly StudioField[] => [
  ...fields,
  ...(of ? listInnerFields(of) : []),
  ...blocks.flatMap((block) => block.fields),
]

/** Returns the name of an option of a choice: its label in the config, the Studio's own name of a status, or the option itself. */
export function getOptionLabel(
  option: string,
  { type, optionLabels }: Pick<StudioField, 'type' | 'optionLabels'>,
  { publishing }: Messages,
): string {
  const label = getOwn(optionLabels, option)
  if (label !== undefined || type !== 'status') return label ?? option
  return getOwn(publishing.statuses, option) ?? toLabel(option)
}

/** Returns the name of a status of a collection. */
export const getStatusLabel = (status: string, t: Messages, collection?: StudioCollection): string =>
  getOptionLabel(status, { type: 'status', optionLabels: findStatusField(collection)?.optionLabels }, t)

const findStatusField = (collection: StudioCollection | undefined): StudioField | undefined =>
  collection?.fields.find(({ key }) => key === collection.statusField)

/** Returns the name of the action that creates an entry elsewhere: `New post`, or `New entry in Posts`. */
export const getCreateText = (
  { label, singularLabel }: Pick<StudioCollection, 'label' | 'singularLabel'>,
  { common, overview }: Messages,
): string => (singularLabel === undefined ? overview.createIn(label) : common.createOne(singularLabel))

/** Returns the name of the action that creates an entry on the pages of its collection: `New post`, or `New entry`. */
export const getNewEntryText = ({ singularLabel }: StudioCollection, { common, lists }: Messages): string =>
  singularLabel === undefined ? lists.create : common.createOne(singularLabel)

const getOwn = (texts: Readonly<Record<string, string>> | undefined, key: string): string | undefined =>
  texts && Object.hasOwn(texts, key) ? texts[key] : undefined
