import fc, { type Arbitrary } from 'fast-check'

/** A JSON Schema of the document. */
export type Schema = Readonly<Record<string, unknown>>

/** Values that a schema requires to exist in the service. */
export interface NamedValues {
  /** Generates the id of an entry. @param description the description of the schema, which names the collection */
  id(description: string): Arbitrary<string>
}

const MAX_DEPTH = 4
/** Keywords that do not constrain a value. */
const ANNOTATIONS: readonly string[] = ['description', 'examples', 'title', 'discriminator', 'default']

/** Generates text that JSON and every store can hold: no NUL, no half of a surrogate pair. */
const text = (minLength: number, maxLength: number): Arbitrary<string> =>
  fc
    .string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, minLength + 12)) })
    .map((value) => value.replaceAll('\0', '0').slice(0, maxLength))
    .filter((value) => value.isWellFormed() && value.length >= minLength)

/** Any JSON value, without keys that reach a prototype. */
const anything: Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, tie('leaf'), tie('list'), tie('object')),
  leaf: fc.oneof(
    fc.constantFrom(null, true, false),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    text(0, 20),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), tie('value'), { maxKeys: 3, noNullPrototype: true }),
})).value

const FORMATS: Readonly<Record<string, Arbitrary<string>>> = {
  date: fc
    .date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
    .map((day) => day.toISOString().slice(0, 10)),
  'date-time': fc
    .date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
    .map((day) => day.toISOString()),
  email: fc.stringMatching(/^[a-z][a-z0-9]{2,12}@example\.(?:org|com)$/),
  uri: fc.stringMatching(/^https:\/\/example\.org\/[a-z]{0,8}$/),
}

/** Generates values from the schemas of the document. Nearly all of them are valid; the document decides. */
export class SchemaValues {
  readonly #document: unknown
  readonly #named: NamedValues

  constructor(document: unknown, named: NamedValues) {
    this.#document = document
    this.#named = named
  }

  of(schema: Schema, depth = 0): Arbitrary<unknown> {
    if (typeof schema.$ref === 'string')
      return this.of({ ...this.resolve(schema.$ref), ...without(schema, ['$ref']) }, depth)
    if ('const' in schema) return fc.constant(schema.const)
    if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
    if (schema.readOnly === true) return anything
    const choices = (schema.oneOf ?? schema.anyOf) as readonly Schema[] | undefined
    if (choices) {
      const around = without(schema, ['oneOf', 'anyOf', ...ANNOTATIONS])
      return fc.oneof(...choices.map((choice) => this.of({ ...around, ...choice }, depth)))
    }
    if (Array.isArray(schema.allOf)) return this.of(this.#merged(schema), depth)
    const types = [schema.type ?? typeIn(schema)].flat()
    return fc.oneof(...types.map((type) => this.#ofType(String(type), schema, depth)))
  }

  resolve(pointer: string): Schema {
    const keys = pointer
      .slice(2)
      .split('/')
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    return keys.reduce((value, key) => (value as Schema)[key], this.#document) as Schema
  }

  #resolved(schema: Schema): Schema {
    return typeof schema.$ref === 'string' ? this.resolve(schema.$ref) : schema
  }

  #ofType(type: string, schema: Schema, depth: number): Arbitrary<unknown> {
    if (type === 'null') return fc.constant(null)
    if (type === 'boolean') return fc.boolean()
    if (type === 'integer' || type === 'number') return numberOf(type, schema)
    if (type === 'string') return this.#text(schema)
    if (type === 'array') return this.#list(schema, depth)
    return type === 'object' ? this.#object(schema, depth) : anything
  }

  #text({
    format,
    pattern,
    patterns = [],
    minLength = 0,
    maxLength = 1000,
    description = '',
  }: Schema): Arbitrary<string> {
    if (format === 'uuid') return this.#named.id(String(description))
    if (typeof format === 'string' && FORMATS[format]) return FORMATS[format]
    const all = [pattern, ...(patterns as readonly unknown[])].filter((source) => typeof source === 'string')
    // Only patterns of slugs contain letters of all scripts.
    if (all.some((source) => source.includes('\\p{')))
      return fc.stringMatching(/^[a-zà-öΑ-Ω]{1,8}(?:-[a-z0-9]{1,8}){0,3}$/)
    const [first] = all
    if (first === '\\S')
      return text(Math.max(1, Number(minLength)), Number(maxLength)).map((value) =>
        /\S/.test(value) ? value : `${value}x`,
      )
    return first === undefined ? text(Number(minLength), Number(maxLength)) : fc.stringMatching(new RegExp(first))
  }

  #list({ items = {}, minItems = 0, maxItems = 3, uniqueItems }: Schema, depth: number): Arbitrary<unknown> {
    if (depth >= MAX_DEPTH && Number(minItems) === 0) return fc.constant([])
    const bounds = { minLength: Number(minItems), maxLength: Math.max(Number(minItems), Math.min(Number(maxItems), 3)) }
    const item = this.of(items as Schema, depth + 1)
    return uniqueItems === true
      ? fc.uniqueArray(item, { ...bounds, selector: (value) => JSON.stringify(value) })
      : fc.array(item, bounds)
  }

  #object({ properties = {}, required = [], minProperties, additionalProperties = true }: Schema, depth: number) {
    const all = Object.entries(properties as Readonly<Record<string, Schema>>)
    const needed = required as readonly string[]
    if (all.length === 0 && additionalProperties !== false)
      return fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), anything, { maxKeys: 3, noNullPrototype: true })
    // At the maximum depth, only members without references end the recursion.
    const isEnding = (schema: Schema): boolean => depth < MAX_DEPTH || !hasRefs(this.#resolved(schema))
    const used = all.filter(([key, schema]) => needed.includes(key) || isEnding(schema))
    const fewKeys = fc.subarray(
      used.map(([key]) => key),
      { minLength: Math.min(Number(minProperties ?? 0), used.length), maxLength: Math.min(used.length, 6) },
    )
    return fewKeys.chain((keys) => {
      const chosen = used.filter(([key]) => keys.includes(key) || needed.includes(key))
      return fc.record(Object.fromEntries(chosen.map(([key, schema]) => [key, this.of(schema, depth + 1)])), {
        noNullPrototype: true,
      })
    })
  }

  #merged({ allOf, ...rest }: Schema): Schema {
    const parts = [...(allOf as readonly Schema[]).map((part) => this.#resolved(part)), rest]
    const all = (keyword: string): readonly unknown[] =>
      parts.flatMap((part) => (part[keyword] ?? []) as readonly unknown[])
    const patterns = parts.flatMap(({ pattern }) => (pattern === undefined ? [] : [pattern]))
    return { ...Object.assign({}, ...parts), required: all('required'), patterns }
  }
}

const hasRefs = (schema: Schema): boolean => JSON.stringify(schema).includes('"$ref"')

const without = (schema: Schema, keywords: readonly string[]): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)))

const typeIn = ({ properties, items }: Schema): string | undefined =>
  properties === undefined ? (items === undefined ? undefined : 'array') : 'object'

function numberOf(type: string, { minimum, maximum }: Schema): Arbitrary<number> {
  const min = Number(minimum ?? -1e6)
  const max = Number(maximum ?? 1e6)
  if (type === 'integer') return fc.integer({ min: Math.max(min, -(2 ** 52)), max: Math.min(max, 2 ** 52) })
  return fc.double({ min, max, noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value))
}

/** Values that replace a part of a value. */
const JUNK: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e21,
  '',
  'zzz',
  'x'.repeat(2000),
  [],
  {},
  { zzz: 1 },
  ['zzz', 'zzz'],
  [[]],
]

/** Generates values with one fault: a part is replaced, removed, or has an unknown member. */
export function damaged(value: Arbitrary<unknown>): Arbitrary<unknown> {
  return fc
    .tuple(value, fc.nat(), fc.constantFrom('replace', 'drop', 'add'), fc.constantFrom(...JUNK))
    .map(([whole, place, how, junk]) => damage(whole, place, how, junk))
}

function damage(whole: unknown, place: number, how: string, junk: unknown): unknown {
  const copy: unknown = structuredClone(whole)
  const slots = listSlots(copy)
  const slot = slots[place % (slots.length + 1)]
  if (!slot) return how === 'add' && isObject(copy) ? { ...copy, zzz: junk } : junk
  const [holder, key] = slot
  const inner = holder[key]
  if (how === 'drop') delete holder[key]
  else if (how === 'add' && isObject(inner)) inner.zzz = junk
  else holder[key] = junk
  return copy
}

type Holder = Record<string, unknown>

const isObject = (value: unknown): value is Holder =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Lists every member in a value. */
function listSlots(value: unknown): readonly (readonly [holder: Holder, key: string])[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [[value as Holder, key] as const, ...listSlots(inner)])
}
