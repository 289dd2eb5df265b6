import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { useObservable } from '../api/observable.ts'
import { queryKeys } from '../api/query-keys.ts'
import { useStudio } from '../api/studio.ts'
import { useTexts } from '../messages/messages.tsx'
import { LoadingPlaceholder } from '../ui/loading-placeholder.tsx'
import { Dialog } from '../ui/overlays/dialog.tsx'
import styles from './sign-in.module.css'
import type { SignInMethod } from './sign-in-form.tsx'
import { useSession } from './use-session.ts'

/** Loaded on demand, since most visitors are signed in. */
const SignInForm = lazy(async () => ({ default: (await import('./sign-in-form.tsx')).SignInForm }))

/** Shows its children to signed-in users, and the sign-in page to others, at the same URL. */
export function SessionGate({ children }: { readonly children: ReactNode }): ReactNode {
  const { authenticated } = useSession()
  const { queries, renewal } = useStudio()
  const isRenewing = useObservable(renewal.isPending)
  const hadModel = queries.getQueryData(queryKeys.model) !== undefined
  // When a session expires during work, the page stays as it is.
  const isOpen = authenticated || hadModel
  useEffect(() => {
    if (!authenticated && hadModel) void renewal.request()
  }, [authenticated, hadModel, renewal])
  return isOpen ? (
    <>
      {children}
      <SignInAgain isOpen={isRenewing} />
    </>
  ) : (
    <SignInPage />
  )
}

function SignInPage(): ReactNode {
  const { queries, settings } = useStudio()
  const { t } = useTexts()
  const [method, setMethod] = useState<SignInMethod>()
  const titles = {
    login: t.session.signIn,
    register: t.session.register,
    setup: t.session.setUp,
    token: t.session.signIn,
  }
  const title = titles[method ?? 'login']
  useEffect(() => {
    document.title = `${title} · ${settings.title}`
  }, [title, settings])
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <div className={styles.head}>
          {settings.logo !== undefined && <img src={settings.logo} alt="" className={styles.logo} />}
          <p className={styles.name}>{settings.title}</p>
          <h1>{title}</h1>
        </div>
        <SignInForm
          onMethodChange={setMethod}
          onDone={() => void queries.invalidateQueries({ queryKey: queryKeys.session })}
        />
      </div>
    </main>
  )
}

/** A sign-in dialog over the page, after which waiting requests continue. */
function SignInAgain({ isOpen }: { readonly isOpen: boolean }): ReactNode {
  const { queries, renewal } = useStudio()
  const { t } = useTexts()
  const finish = (): void => {
    renewal.finish(true)
    // Another user with other rights may have signed in.
    void queries.invalidateQueries()
  }
  return (
    <Dialog title={t.session.signInAgain} isOpen={isOpen} onClose={() => renewal.finish(false)}>
      <p>{t.session.signInAgainText}</p>
      <Suspense fallback={<LoadingPlaceholder label={t.common.loading} />}>
        <SignInForm onDone={finish} />
      </Suspense>
    </Dialog>
  )
}
