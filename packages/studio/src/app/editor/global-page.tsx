import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useTexts } from '../messages/messages.tsx'
import type { StudioGlobal } from '../model/studio-model.ts'
import { useGlobal } from '../model/use-model.ts'
import { MissingPage } from '../shell/missing-page.tsx'
import { useStudio } from '../talk/studio.ts'
import { buttonClass } from '../ui/controls/button.tsx'
import { Waiting } from '../ui/waiting.tsx'
import styles from './actions/actions.module.css'
import { IssueSummary } from './actions/issue-summary.tsx'
import { Meanwhile } from './conflicts/lazy-meanwhile.tsx'
import { CreateThere } from './creating/create-there.tsx'
import { LoadingPage } from './document/loading-page.tsx'
import { useDocument, useFrameState } from './document/use-document.ts'
import { EditorFrame } from './editor-frame.tsx'
import { useFieldIssues } from './field-issues.ts'
import { FieldList } from './field-list.tsx'
import { globalLanguages } from './languages/language-calls.ts'
import { useContentLocale, useHasFallbacks } from './languages/use-content-locale.ts'
import { useLanguageForm } from './languages/use-language-form.tsx'
import { useFieldTarget } from './places/use-field-target.ts'
import type { DocumentEditor } from './saving/document-editor.ts'
import { leavesOf } from './saving/document-fields.ts'
import { type GlobalCalls, remoteGlobal } from './saving/remote.ts'

const route = getRouteApi('/g/$global')

/** One global: `/g/:global`. */
export function GlobalPage(): ReactNode {
  const { global: key } = route.useParams()
  const global = useGlobal(key)
  const locale = useContentLocale(route.useSearch().locale)
  return global ? <GlobalEditor key={`${key}/${locale}`} global={global} locale={locale} /> : <MissingPage />
}

interface GlobalEditorProps {
  readonly global: StudioGlobal
  /** The language of the content; empty: it has one. */
  readonly locale: string
}

function GlobalEditor({ global, locale }: GlobalEditorProps): ReactNode {
  const { key, fields } = global
  const { ownClient } = useStudio()
  const { t } = useTexts()
  const hasFallbacks = useHasFallbacks(locale)
  const language = locale === '' ? {} : { locale }
  const editor = useDocument(() => ({
    document: { collection: 'globals', id: key, ...language },
    liveKey: 'globals',
    leaves: leavesOf(fields, { hasWholeGroups: true }),
    remote: remoteGlobal(ownClient.globals[key] as unknown as GlobalCalls, { ...language, hasFallbacks }),
    // Readers see a global as it is saved.
    isAutosaved: false,
  }))
  return editor ? <OpenGlobal global={global} editor={editor} /> : <Waiting label={t.common.loading} />
}

function OpenGlobal({ global, editor }: { readonly global: StudioGlobal; readonly editor: DocumentEditor }): ReactNode {
  const { label, permissions, fields } = global
  const { t } = useTexts()
  const { field, beside } = route.useSearch()
  const navigate = route.useNavigate()
  const state = useFrameState(editor)
  const issues = useFieldIssues(state.issues)
  useFieldTarget(state.isLoaded, field)
  const isReadOnly = permissions.update === false
  const { client } = useStudio()
  const calls = useMemo(() => globalLanguages(client, global.key), [client, global.key])
  const languages = useLanguageForm({
    fields,
    editor,
    state,
    calls,
    isReadOnly,
    isBeside: beside !== undefined,
    onBeside: (isBeside) => {
      const next = isBeside ? { beside: 'source' } : {}
      void navigate({
        search: ({ beside: _, ...before }) => ({ ...before, ...next }),
        replace: true,
        resetScroll: false,
      })
    },
  })
  if (!state.isLoaded) return <LoadingPage editor={editor} />
  return (
    <EditorFrame
      title={label}
      editor={editor}
      state={state}
      isAutosaved={false}
      isReadOnly={isReadOnly}
      whyReadOnly={t.editor.readOnly}
      isWide={languages.beside !== undefined}
      actions={
        <Link
          to="/g/$global/history"
          params={{ global: global.key }}
          className={`${buttonClass('quiet')} ${styles.last}`}
        >
          {t.history.title}
        </Link>
      }
      notices={
        <>
          {languages.bar}
          <Meanwhile fields={fields} editor={editor} state={state} />
          <IssueSummary issues={issues} />
        </>
      }
    >
      <CreateThere locale={state.document.locale ?? ''}>
        <FieldList
          fields={fields}
          editor={editor}
          issues={issues}
          isReadOnly={isReadOnly}
          beside={languages.beside}
          below={languages.below}
          placeholderOf={languages.placeholderOf}
        />
      </CreateThere>
    </EditorFrame>
  )
}
