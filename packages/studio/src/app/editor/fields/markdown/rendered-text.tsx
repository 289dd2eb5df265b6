import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useTexts } from '../../../messages/messages.tsx'
import { useModel } from '../../../model/use-model.ts'
import type { StudioClient } from '../../../talk/client.ts'
import { errorText } from '../../../talk/error-texts.ts'
import { keys } from '../../../talk/keys.ts'
import { useStudio } from '../../../talk/studio.ts'
import field from '../../../ui/controls/field.module.css'
import { useFormDocument } from '../../form-document.ts'
import type { DocumentName } from '../../saving/copies/local-copies.ts'
import { findRendering, type Rendering } from './find-rendering.ts'
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
    queryKey: keys.rendered(id, version),
    queryFn: ({ signal }) => (rendering ? render({ client, name, hasDrafts }, rendering, shown, signal) : null),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  return (
    <div role="region" aria-label={t.fields.previewOf(label)} className={styles.preview}>
      {error !== null && (
        <p role="alert" className={field.error}>
          {errorText(error, t)}
        </p>
      )}
      {isPending && <p role="status">{t.common.loading}</p>}
      {rendering ? <Html html={data ?? ''} /> : <p className={field.description}>{t.fields.noRendering}</p>}
    </div>
  )
}

interface Asked {
  readonly client: StudioClient
  readonly name: DocumentName
  readonly hasDrafts: boolean
}

async function render(
  { client, name: { collection, id }, hasDrafts }: Asked,
  rendering: Rendering,
  text: string,
  signal: AbortSignal,
): Promise<string | null> {
  const body = rendering.body(text)
  const options = { dryRun: true, signal }
  const entries = client.collections[collection]
  if (text.trim() === '') return ''
  if (!entries) return rendering.read(await client.globals[id ?? '']?.update(body, options)) ?? null
  if (id === null) return rendering.read(await entries.create(body, options)) ?? null
  const answer = hasDrafts ? entries.saveDraft(id, body, options) : entries.update(id, body, options)
  return rendering.read(await answer) ?? null
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
