import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { FieldDescription } from 'daybook'
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { StudioClient } from '../../../api/client.ts'
import { getErrorText } from '../../../api/error-texts.ts'
import { queryKeys } from '../../../api/query-keys.ts'
import { useStudio } from '../../../api/studio.ts'
import { useTexts } from '../../../messages/messages.tsx'
import { useModel } from '../../../model/use-model.ts'
import fieldStyles from '../../../ui/controls/field.module.css'
import { isRecord } from '../../saving/field-values.ts'
import type { DocumentRef } from '../../saving/local-copies.ts'
import { useFormDocument } from '../field-editor.ts'
import styles from './markdown.module.css'

/** The pause in typing before a text is rendered, in milliseconds. */
const PAUSE_MS = 500

/** Shows the HTML that the service renders from a text, by a dry run that stores nothing. */
export function RenderedText({ text, label }: { readonly text: string; readonly label: string }): ReactNode {
  const { t } = useTexts()
  const { client } = useStudio()
  const { documentRef } = useFormDocument()
  const { collections, globals } = useModel()
  const { collection, id: documentId } = documentRef
  const model = collection === 'globals' ? globals.get(documentId ?? '') : collections.get(collection)
  const hasDrafts = model !== undefined && 'statusField' in model && model.statusField !== null
  const rendering = useMemo(() => findRendering(model?.fields ?? []), [model])
  const id = useId()
  const { text: settledText, version } = useDelayedText(text)
  const { data, error, isPending } = useQuery({
    // A version instead of the text, which may be long.
    queryKey: queryKeys.rendered(id, version),
    queryFn: ({ signal }) =>
      rendering ? render({ client, documentRef, hasDrafts }, rendering, settledText, signal) : null,
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  return (
    <div role="region" aria-label={t.fields.previewOf(label)} className={styles.preview}>
      {error !== null && (
        <p role="alert" className={fieldStyles.error}>
          {getErrorText(error, t)}
        </p>
      )}
      {isPending && <p role="status">{t.common.loading}</p>}
      {rendering ? <Html html={data ?? ''} /> : <p className={fieldStyles.description}>{t.fields.noRendering}</p>}
    </div>
  )
}

interface RenderContext {
  readonly client: StudioClient
  readonly documentRef: DocumentRef
  readonly hasDrafts: boolean
}

async function render(
  { client, documentRef: { collection, id }, hasDrafts }: RenderContext,
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
  const response = hasDrafts ? entries.saveDraft(id, body, options) : entries.update(id, body, options)
  return rendering.readHtml(await response) ?? null
}

/** Shows HTML that the service has sanitized, in a shadow root without the styles of the page. */
function Html({ html }: { readonly html: string }): ReactNode {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const root = host.current?.shadowRoot ?? host.current?.attachShadow({ mode: 'open' })
    if (!root) return
    root.adoptedStyleSheets = [getProseStyles()]
    root.innerHTML = html
    for (const link of root.querySelectorAll('a')) {
      link.target = '_blank'
      link.rel = 'noreferrer'
    }
  }, [html])
  return <div ref={host} className={styles.html} dir="auto" />
}

let proseStyles: CSSStyleSheet | undefined

function getProseStyles(): CSSStyleSheet {
  if (proseStyles) return proseStyles
  proseStyles = new CSSStyleSheet()
  proseStyles.replaceSync(`
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
  return proseStyles
}

/** The text to render, and the number of texts before it. */
interface DelayedText {
  readonly text: string
  readonly version: number
}

function useDelayedText(text: string): DelayedText {
  const [delayed, setDelayed] = useState<DelayedText>({ text, version: 0 })
  useEffect(() => {
    const update = (before: DelayedText): DelayedText =>
      before.text === text ? before : { text, version: before.version + 1 }
    const timer = setTimeout(() => setDelayed(update), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return delayed
}

/** A request in which the service renders a text, and the position of the HTML in its response. */
interface Rendering {
  /** Builds the body of a dry run. */
  buildBody(text: string): Readonly<Record<string, unknown>>
  readHtml(response: unknown): string | undefined
}

type Fields = readonly FieldDescription[]

/**
 * Finds a Markdown field of a document in which the service can render a text. All fields render alike, so a top-level one is preferred.
 *
 * @returns `undefined` if the document has no Markdown field with HTML
 */
function findRendering(fields: Fields): Rendering | undefined {
  const writableFields = fields.filter((field) => field.writable)
  return (
    findFirst(writableFields, renderInField) ??
    findFirst(writableFields, renderInGroup) ??
    findFirst(writableFields, renderInBlocks)
  )
}

function findFirst(
  fields: Fields,
  createRendering: (field: FieldDescription) => Rendering | undefined,
): Rendering | undefined {
  for (const field of fields) {
    const rendering = createRendering(field)
    if (rendering) return rendering
  }
  return undefined
}

function renderInField({ key, type, many, generated: [html] }: FieldDescription): Rendering | undefined {
  if (type !== 'markdown' || many || html === undefined) return undefined
  return { buildBody: (text) => ({ [key]: text }), readHtml: (response) => readText(response, html) }
}

function renderInGroup({ key, type, fields }: FieldDescription): Rendering | undefined {
  const inner = type === 'group' && fields ? findRendering(fields) : undefined
  return (
    inner && {
      buildBody: (text) => ({ [key]: inner.buildBody(text) }),
      readHtml: (response) => inner.readHtml(isRecord(response) ? response[key] : undefined),
    }
  )
}

function renderInBlocks({ key, blocks, of }: FieldDescription): Rendering | undefined {
  const kinds = blocks ?? (of?.fields ? [{ type: undefined, fields: of.fields }] : [])
  for (const { type, fields } of kinds) {
    const inner = findRendering(fields)
    if (inner) return renderInItem(key, type, inner)
  }
  return undefined
}

const renderInItem = (key: string, type: string | undefined, inner: Rendering): Rendering => ({
  buildBody: (text) => ({ [key]: [{ ...(type === undefined ? {} : { _type: type }), ...inner.buildBody(text) }] }),
  readHtml: (response) => {
    const items = isRecord(response) ? response[key] : undefined
    return Array.isArray(items) ? inner.readHtml(items[0]) : undefined
  },
})

function readText(response: unknown, key: string): string | undefined {
  const html = isRecord(response) ? response[key] : undefined
  return typeof html === 'string' ? html : undefined
}
