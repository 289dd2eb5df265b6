import type {
  CommonOptions,
  CountedOptions,
  Exactly,
  Field,
  FieldType,
  OptionRule,
  TargetRequirement,
} from './field.ts'
import { checkCounted, makeField } from './field.ts'
import { countRule } from './option-rules.ts'
import {
  checkRelation,
  createIdSchema,
  getOnDelete,
  ID_BEHAVIOR,
  RELATION_RULES,
  readIdReferences,
} from './relation.ts'

/** The key of the collection that holds the service's files. */
export const ASSETS = 'assets'

export interface AssetOptions<Value = unknown> extends CommonOptions<Value>, CountedOptions {
  /** Holds up to 1,000 different ids, in order. @default false */
  readonly many?: boolean
  /** The media types of the files that it takes, such as `['image/*']`. @default every type */
  readonly accept?: readonly string[]
  /** The largest file that it takes, in bytes. @default every size */
  readonly maxBytes?: number
  /**
   * When the file is deleted: take the reference out, or refuse the deletion with 409. With `access.read`, on the field or around it,
   * only `'unset'`. @default `'restrict'` when required, else `'unset'`
   */
  readonly onDelete?: 'unset' | 'restrict'
  /** `false`: the field can be neither filtered nor sorted. @default true */
  readonly index?: boolean
}

const MEDIA_RANGE = /^[a-z]+\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$/

/** The rule of a list of media types. */
export const mediaRangesRule: OptionRule = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && MEDIA_RANGE.test(one))
    ? undefined
    : "write a list of media types in small letters, such as ['image/*', 'application/pdf']"

const { formerTo: _, to: __, ...SHARED_RULES } = RELATION_RULES

/** The condition on files within one of these ranges. */
const within = (range: string): object => ({
  mimeType: range.endsWith('/*') ? { startsWith: range.slice(0, -1) } : { eq: range },
})

/** What a file must be for the field to take it. */
function requirementOf({ accept, maxBytes }: AssetOptions): TargetRequirement | undefined {
  if (accept === undefined && maxBytes === undefined) return undefined
  const where = [
    ...(accept === undefined ? [] : [{ or: accept.map(within) }]),
    ...(maxBytes === undefined ? [] : [{ size: { lte: maxBytes } }]),
  ]
  const types = accept === undefined ? 'files' : `files of type ${accept.join(' or ')}`
  const said = maxBytes === undefined ? types : `${types} of at most ${maxBytes} bytes`
  return { where: { and: where }, description: said, params: { values: accept, limit: maxBytes } }
}

const asset: FieldType<AssetOptions> = {
  name: 'asset',
  rules: { ...SHARED_RULES, accept: mediaRangesRule, maxBytes: countRule },
  check(options, place, report) {
    checkCounted(options, place, report)
    if (options.many && options.counted)
      report.add(`${place.path}.counted`, 'leave it out where many is true: counting takes single files')
    checkRelation(options, place, report)
  },
  schema: ({ many }) => createIdSchema(ASSETS, many),
  ...ID_BEHAVIOR,
  relation: (options) => ({
    to: ASSETS,
    many: options.many === true,
    onDelete: getOnDelete(options),
    accept: options.accept,
    maxBytes: options.maxBytes,
  }),
  references(value, options) {
    const requirement = requirementOf(options)
    const references = readIdReferences(ASSETS, value)
    return requirement ? references.map((reference) => ({ ...reference, requirement })) : references
  },
}

type AssetValue<O> = O extends { readonly many: true } ? readonly string[] : string

/** The id of an uploaded file, or several with `many: true`. */
export function assetField<const O extends AssetOptions = Record<never, never>, const Many extends boolean = false>(
  options?: Exactly<O, AssetOptions<AssetValue<{ readonly many: Many }>>> & { readonly many?: Many },
): Field<AssetValue<O>, NoInfer<O> & { readonly to: typeof ASSETS }> {
  return makeField(asset, { ...options } as unknown as O & { readonly to: typeof ASSETS })
}
