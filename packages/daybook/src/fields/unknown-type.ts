import { StartupError } from '../errors.ts'
import { findNearest } from '../nearest.ts'

/** Type names of other systems, with the equivalent type. */
const OTHER_TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  str: 'text',
  varchar: 'text',
  longtext: 'markdown',
  richtext: 'markdown',
  html: 'markdown',
  textarea: 'markdown',
  int: 'integer',
  float: 'number',
  decimal: 'number',
  bool: 'boolean',
  checkbox: 'boolean',
  timestamp: 'datetime',
  enum: 'select',
  enumeration: 'select',
  choice: 'select',
  radio: 'select',
  ref: 'relation',
  reference: 'relation',
  relationship: 'relation',
  file: 'asset',
  image: 'asset',
  media: 'asset',
  upload: 'asset',
  join: 'reverse',
  backreference: 'reverse',
  backlink: 'reverse',
  inverse: 'reverse',
  object: 'group',
  component: 'group',
  array: 'list',
  repeater: 'list',
  dynamiczone: 'blocks',
  uid: 'slug',
  uri: 'url',
}

/** Properties that libraries read from any object to detect its type. */
const PROBES: readonly string[] = ['then', 'toJSON', 'asymmetricMatch', 'nodeType', 'tagName', '$$typeof']

/** Wraps the builders of field types, so that calling an unknown type throws an error with a suggestion. */
export function withTypeSuggestions<Builders extends object>(builders: Builders): Builders {
  return new Proxy(builders, {
    get(target, name, receiver) {
      if (typeof name === 'symbol' || name in target || PROBES.includes(name))
        return Reflect.get(target, name, receiver)
      return () => {
        throw new StartupError(`f.${name} is not a field type. ${suggestType(name, Object.keys(target))}`)
      }
    },
  })
}

function suggestType(name: string, types: readonly string[]): string {
  const folded = name.toLowerCase().replaceAll(/[^a-z]/g, '')
  const meant = Object.hasOwn(OTHER_TYPE_NAMES, folded) ? OTHER_TYPE_NAMES[folded] : findNearest(folded, types)
  return meant ? `Use f.${meant}().` : `Use one of: ${types.map((type) => `f.${type}()`).join(', ')}.`
}
