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

/** Most who come are signed in. */
const SignInForm = lazy(async () => ({ default: (await import('./sign-in-form.tsx')).SignInForm }))

/** Shows its children to those who are signed in, and a page for signing in to all others, at the same address. */
export function SessionGate({ children }: { readonly children: ReactNode }): ReactNode {
  const { authenticated } = useSession()
  const { queries, renewal } = useStudio()
  const isAsked = useObservable(renewal.isPending)
  const hadModel = queries.getQueryData(queryKeys.model) !== undefined
  // A session that ends while somebody works closes nothing: what is on the page stays.
  const isOver = authenticated || hadModel
  useEffect(() => {
    if (!authenticated && hadModel) void renewal.request()
  }, [authenticated, hadModel, renewal])
  return isOver ? (
    <>
      {children}
      <SignInAgain isOpen={isAsked} />
    </>
  ) : (
    <SignInPage />
  )
}

function SignInPage(): ReactNode {
  const { queries, settings } = useStudio()
  const { t } = useTexts()
  const [way, setWay] = useState<SignInMethod>()
  const title = way === 'register' ? t.session.register : t.session.signIn
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
          onMethodChange={setWay}
          onDone={() => void queries.invalidateQueries({ queryKey: queryKeys.session })}
        />
      </div>
    </main>
  )
}

/** Signs in over the page when a session has ended; the calls that wait then go on. */
function SignInAgain({ isOpen }: { readonly isOpen: boolean }): ReactNode {
  const { queries, renewal } = useStudio()
  const { t } = useTexts()
  const done = (): void => {
    renewal.finish(true)
    // Another person may have signed in, who may do other things.
    void queries.invalidateQueries()
  }
  return (
    <Dialog title={t.session.signInAgain} isOpen={isOpen} onClose={() => renewal.finish(false)}>
      <p>{t.session.signInAgainText}</p>
      <Suspense fallback={<LoadingPlaceholder label={t.common.loading} />}>
        <SignInForm onDone={done} />
      </Suspense>
    </Dialog>
  )
}
