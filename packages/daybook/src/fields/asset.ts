import {
  type CommonOptions,
  type CountedOptions,
  checkCounted,
  type Exactly,
  type Field,
  type FieldType,
  makeField,
  type OptionRule,
  type TargetRequirement,
} from './field.ts'
import { countRule } from './option-rules.ts'
import {
  checkRelation,
  createIdSchema,
  getOnDelete,
  ID_BEHAVIOR,
  RELATION_RULES,
  readIdReferences,
} from './relation.ts'

/** The key of the collection of files. */
export const ASSETS = 'assets'

export interface AssetOptions<Value = unknown> extends CommonOptions<Value>, CountedOptions {
  /** True for a list of up to 1,000 different ids, in order. @default false */
  readonly many?: boolean
  /** The accepted media types, such as `['image/*']`. @default every type */
  readonly accept?: readonly string[]
  /** The maximum size of a file, in bytes. @default any size */
  readonly maxBytes?: number
  /**
   * The effect of a deletion of the file: `'unset'` removes the reference, `'restrict'` rejects the deletion with 409. With `access.read` on
   * the field or around it, only `'unset'`. @default `'restrict'` if required, else `'unset'`
   */
  readonly onDelete?: 'unset' | 'restrict'
  /** `false` saves the index. The field can then be neither filtered nor sorted. @default true */
  readonly index?: boolean
}

const MEDIA_RANGE = /^[a-z]+\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]*)$/

/** The rule of a list of media types. */
export const mediaRangesRule: OptionRule = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string' && MEDIA_RANGE.test(item))
    ? undefined
    : "must be a list of media types in lower case, such as ['image/*', 'application/pdf']"

const { formerTo: _, to: __, ...SHARED_RULES } = RELATION_RULES

const whereWithin = (range: string): object => ({
  mimeType: range.endsWith('/*') ? { startsWith: range.slice(0, -1) } : { eq: range },
})

function createRequirement({ accept, maxBytes }: AssetOptions): TargetRequirement | undefined {
  if (accept === undefined && maxBytes === undefined) return undefined
  const where = [
    ...(accept === undefined ? [] : [{ or: accept.map(whereWithin) }]),
    ...(maxBytes === undefined ? [] : [{ size: { lte: maxBytes } }]),
  ]
  const types = accept === undefined ? 'a file' : `a file of type ${accept.join(' or ')}`
  const description = maxBytes === undefined ? types : `${types} of at most ${maxBytes} bytes`
  return { where: { and: where }, description, params: { values: accept, limit: maxBytes } }
}

const asset: FieldType<AssetOptions> = {
  name: 'asset',
  rules: { ...SHARED_RULES, accept: mediaRangesRule, maxBytes: countRule },
  check(options, place, report) {
    checkCounted(options, place, report)
    if (options.many && options.counted)
      report.add(
        `${place.path}.counted`,
        'is not allowed with many: true, because only single files are counted. Leave it out',
      )
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
    const requirement = createRequirement(options)
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
