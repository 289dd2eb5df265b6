import { getRouteApi, Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { useStudio } from '../api/studio.ts'
import { useTexts } from '../messages/messages.tsx'
import type { StudioGlobal } from '../model/studio-model.ts'
import { useGlobal } from '../model/use-model.ts'
import { NotFoundPage } from '../shell/page.tsx'
import { getButtonClass } from '../ui/controls/button.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import styles from './actions/actions.module.css'
import { CreateRelated } from './create-related.tsx'
import { useDocument, useFrameState } from './document/use-document.ts'
import { EditorFrame, IssueSummary, LazyConflictPanel, LoadingPage } from './editor-frame.tsx'
import { FieldList } from './field-list.tsx'
import { useFieldIssues } from './fields/field-editor.ts'
import { useFieldTarget } from './focus-field.ts'
import { useLanguageForm } from './languages/use-language-form.tsx'
import { createGlobalLanguages, useContentLocale, useHasFallbacks } from './languages/use-languages.ts'
import type { DocumentEditor } from './saving/document-editor.ts'
import { listLeaves } from './saving/document-fields.ts'
import { createGlobalStore, type GlobalCalls } from './saving/remote.ts'

const route = getRouteApi('/g/$global')

export function GlobalPage(): ReactNode {
  const { global: key } = route.useParams()
  const global = useGlobal(key)
  const locale = useContentLocale(route.useSearch().locale)
  return global ? <GlobalEditor key={`${key}/${locale}`} global={global} locale={locale} /> : <NotFoundPage />
}

interface GlobalEditorProps {
  readonly global: StudioGlobal
  /** The language of the content; empty if it has only one. */
  readonly locale: string
}

function GlobalEditor({ global, locale }: GlobalEditorProps): ReactNode {
  const { key, fields } = global
  const { clientWithoutRenewal } = useStudio()
  const { t } = useTexts()
  const hasFallbacks = useHasFallbacks(locale)
  const language = locale === '' ? {} : { locale }
  const editor = useDocument(() => ({
    document: { collection: 'globals', id: key, ...language },
    liveKey: 'globals',
    leaves: listLeaves(fields, { hasWholeGroups: true }),
    remote: createGlobalStore(clientWithoutRenewal.globals[key] as unknown as GlobalCalls, {
      ...language,
      hasFallbacks,
    }),
    // A saved global is public at once.
    isAutosaved: false,
  }))
  return editor ? <OpenGlobal global={global} editor={editor} /> : <LoadingPlaceholder label={t.common.loading} />
}

function OpenGlobal({ global, editor }: { readonly global: StudioGlobal; readonly editor: DocumentEditor }): ReactNode {
  const { label, permissions, fields } = global
  const { t } = useTexts()
  const { field, beside: sideColumn } = route.useSearch()
  const navigate = route.useNavigate()
  const state = useFrameState(editor)
  const issues = useFieldIssues(state.issues)
  useFieldTarget(state.isLoaded, field)
  const isReadOnly = permissions.update === false
  const { client } = useStudio()
  const calls = useMemo(() => createGlobalLanguages(client, global.key), [client, global.key])
  const languages = useLanguageForm({
    fields,
    editor,
    state,
    calls,
    isReadOnly,
    isSourceShown: sideColumn !== undefined,
    onShowSource: (isShown) => {
      const next = isShown ? { beside: 'source' } : {}
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
      readOnlyReason={t.editor.readOnly}
      isWide={languages.renderBeside !== undefined}
      actions={
        <Link
          to="/g/$global/history"
          params={{ global: global.key }}
          className={`${getButtonClass('quiet')} ${styles.last}`}
        >
          {t.history.title}
        </Link>
      }
      notices={
        <>
          {languages.bar}
          <LazyConflictPanel fields={fields} editor={editor} state={state} />
          <IssueSummary issues={issues} fields={fields} />
        </>
      }
    >
      <CreateRelated locale={state.document.locale ?? ''}>
        <FieldList
          fields={fields}
          form={global.form}
          editor={editor}
          issues={issues}
          isReadOnly={isReadOnly}
          renderBeside={languages.renderBeside}
          renderBelow={languages.renderBelow}
          getPlaceholder={languages.getPlaceholder}
        />
      </CreateRelated>
    </EditorFrame>
  )
}
