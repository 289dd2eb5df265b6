import type { FieldDescription } from 'daybook'
import { isRecord } from '../../saving/saved-field.ts'

/** How the service is asked to render a text, and where it answers. */
export interface Rendering {
  /** What a dry run of a save sends. */
  body(text: string): Readonly<Record<string, unknown>>
  /** The HTML in its answer. */
  read(answer: unknown): string | undefined
}

type Fields = readonly FieldDescription[]

/**
 * The Markdown field of a document that the service renders a text in: all are rendered alike, and a field of its own is asked most easily.
 * `undefined`: it has none with HTML.
 */
export function findRendering(fields: Fields): Rendering | undefined {
  const writable = fields.filter((field) => field.writable)
  return first(writable, inField) ?? first(writable, inGroup) ?? first(writable, inBlocks)
}

function first(fields: Fields, find: (field: FieldDescription) => Rendering | undefined): Rendering | undefined {
  for (const field of fields) {
    const found = find(field)
    if (found) return found
  }
  return undefined
}

function inField({ key, type, many, generated: [html] }: FieldDescription): Rendering | undefined {
  if (type !== 'markdown' || many || html === undefined) return undefined
  return { body: (text) => ({ [key]: text }), read: (answer) => textAt(answer, html) }
}

function inGroup({ key, type, fields }: FieldDescription): Rendering | undefined {
  const inner = type === 'group' && fields ? findRendering(fields) : undefined
  return (
    inner && {
      body: (text) => ({ [key]: inner.body(text) }),
      read: (answer) => inner.read(isRecord(answer) ? answer[key] : undefined),
    }
  )
}

function inBlocks({ key, blocks, of }: FieldDescription): Rendering | undefined {
  const kinds = blocks ?? (of?.fields ? [{ type: undefined, fields: of.fields }] : [])
  for (const { type, fields } of kinds) {
    const inner = findRendering(fields)
    if (inner) return inItem(key, type, inner)
  }
  return undefined
}

const inItem = (key: string, type: string | undefined, inner: Rendering): Rendering => ({
  body: (text) => ({ [key]: [{ ...(type === undefined ? {} : { _type: type }), ...inner.body(text) }] }),
  read: (answer) => {
    const items = isRecord(answer) ? answer[key] : undefined
    return Array.isArray(items) ? inner.read(items[0]) : undefined
  },
})

function textAt(answer: unknown, key: string): string | undefined {
  const html = isRecord(answer) ? answer[key] : undefined
  return typeof html === 'string' ? html : undefined
}
