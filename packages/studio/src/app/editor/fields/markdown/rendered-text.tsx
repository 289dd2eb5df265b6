import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { FieldDescription } from 'daybook'
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { StudioClient } from '../../../api/client.ts'
import { getErrorText } from '../../../api/error-texts.ts'
import { queryKeys } from '../../../api/query-keys.ts'
import { useStudio } from '../../../api/studio.ts'
import { useTexts } from '../../../messages/messages.tsx'
import { useModel } from '../../../model/use-model.ts'
import field from '../../../ui/controls/field.module.css'
import { isRecord } from '../../saving/field-values.ts'
import type { DocumentRef } from '../../saving/local-copies.ts'
import { useFormDocument } from '../field-editor.ts'
import styles from './markdown.module.css'

/** How long nobody types before a text is rendered, in milliseconds. */
const PAUSE_MS = 500

/** The service's own rendering of a text, by a dry run that stores nothing. */
export function RenderedText({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const { t } = useTexts()
  const { client } = useStudio()
  const { name } = useFormDocument()
  const { collections, globals } = useModel()
  const model = name.collection === 'globals' ? globals.get(name.id ?? '') : collections.get(name.collection)
  const hasDrafts = model !== undefined && 'statusField' in model && model.statusField !== null
  const rendering = useMemo(() => findRendering(model?.fields ?? []), [model])
  const id = useId()
  const { shown, version } = useLater(text)
  const { data, error, isPending } = useQuery({
    // The text itself may be long.
    queryKey: queryKeys.rendered(id, version),
    queryFn: ({ signal }) => (rendering ? render({ client, name, hasDrafts }, rendering, shown, signal) : null),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  return (
    <div role="region" aria-label={t.fields.previewOf(label)} className={styles.preview}>
      {error !== null && (
        <p role="alert" className={field.error}>
          {getErrorText(error, t)}
        </p>
      )}
      {isPending && <p role="status">{t.common.loading}</p>}
      {rendering ? <Html html={data ?? ''} /> : <p className={field.description}>{t.fields.noRendering}</p>}
    </div>
  )
}

interface Asked {
  readonly client: StudioClient
  readonly name: DocumentRef
  readonly hasDrafts: boolean
}

async function render(
  { client, name: { collection, id }, hasDrafts }: Asked,
  rendering: Rendering,
  text: string,
  signal: AbortSignal,
): Promise<string | null> {
  const body = rendering.buildBody(text)
  const options = { dryRun: true, signal }
  const entries = client.collections[collection]
  if (text.trim() === '') return ''
  if (!entries) return rendering.readHtml(await client.globals[id ?? '']?.update(body, options)) ?? null
  if (id === null) return rendering.readHtml(await entries.create(body, options)) ?? null
  const answer = hasDrafts ? entries.saveDraft(id, body, options) : entries.update(id, body, options)
  return rendering.readHtml(await answer) ?? null
}

/** HTML that the service has made safe, apart from the styles of the page. */
function Html({ html }: { readonly html: string }): ReactNode {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const root = host.current?.shadowRoot ?? host.current?.attachShadow({ mode: 'open' })
    if (!root) return
    root.adoptedStyleSheets = [proseStyles()]
    root.innerHTML = html
    for (const link of root.querySelectorAll('a')) {
      link.target = '_blank'
      link.rel = 'noreferrer'
    }
  }, [html])
  return <div ref={host} className={styles.html} dir="auto" />
}

let prose: CSSStyleSheet | undefined

function proseStyles(): CSSStyleSheet {
  if (prose) return prose
  prose = new CSSStyleSheet()
  prose.replaceSync(`
    :host { overflow-wrap: anywhere; line-height: 1.6 }
    :first-child { margin-block-start: 0 }
    img, video, table { max-inline-size: 100% }
    a { color: var(--accent) }
    pre, code { font-family: var(--font-mono); font-size: 0.875em }
    pre { padding: var(--space-3); border-radius: var(--radius); background: var(--bg-sunken); overflow: auto }
    blockquote { margin-inline: 0; padding-inline-start: var(--space-4); border-inline-start: 3px solid var(--line); color: var(--text-muted) }
    .callout { border-color: var(--accent); color: inherit }
    .callout::before { content: attr(data-callout); font-weight: 600; text-transform: capitalize }
    table { border-collapse: collapse }
    th, td { padding: var(--space-1) var(--space-2); border: 1px solid var(--line) }
  `)
  return prose
}

/** What is rendered: a text, and how many there were before it. */
interface Later {
  readonly shown: string
  readonly version: number
}

function useLater(text: string): Later {
  const [later, setLater] = useState<Later>({ shown: text, version: 0 })
  useEffect(() => {
    const follow = (before: Later): Later =>
      before.shown === text ? before : { shown: text, version: before.version + 1 }
    const timer = setTimeout(() => setLater(follow), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return later
}

/** How the service is asked to render a text, and where it answers. */
export interface Rendering {
  /** What a dry run of a save sends. */
  buildBody(text: string): Readonly<Record<string, unknown>>
  /** The HTML in its answer. */
  readHtml(answer: unknown): string | undefined
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
  return { buildBody: (text) => ({ [key]: text }), readHtml: (answer) => textAt(answer, html) }
}

function inGroup({ key, type, fields }: FieldDescription): Rendering | undefined {
  const inner = type === 'group' && fields ? findRendering(fields) : undefined
  return (
    inner && {
      buildBody: (text) => ({ [key]: inner.buildBody(text) }),
      readHtml: (answer) => inner.readHtml(isRecord(answer) ? answer[key] : undefined),
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
  buildBody: (text) => ({ [key]: [{ ...(type === undefined ? {} : { _type: type }), ...inner.buildBody(text) }] }),
  readHtml: (answer) => {
    const items = isRecord(answer) ? answer[key] : undefined
    return Array.isArray(items) ? inner.readHtml(items[0]) : undefined
  },
})

function textAt(answer: unknown, key: string): string | undefined {
  const html = isRecord(answer) ? answer[key] : undefined
  return typeof html === 'string' ? html : undefined
}
