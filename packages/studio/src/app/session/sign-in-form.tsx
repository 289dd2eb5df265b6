import { type AuthActionDescription, DaybookError } from '@daybook/client'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { getErrorText, getIssueText } from '../api/error-texts.ts'
import { type Studio, useStudio } from '../api/studio.ts'
import type { Messages } from '../messages/en.ts'
import { useTexts } from '../messages/messages.tsx'
import { Button } from '../ui/controls/button.tsx'
import { TextField } from '../ui/controls/text-field.tsx'
import { FormError } from '../ui/form-error.tsx'
import {
  acceptsInvitation,
  type InvitationFromLink,
  readInvitation,
  readSetupSecret,
  useAuthActions,
} from './auth-actions.ts'
import styles from './sign-in.module.css'

export type SignInMethod = 'login' | 'register' | 'setup' | 'token'

export interface SignInFormProps {
  /** Called with the shown method when it changes. */
  readonly onMethodChange?: (method: SignInMethod) => void
  readonly onDone: () => void
}

/** The sign-in form, with the methods that the service offers: an account, a new account, or a token. */
export function SignInForm({ onMethodChange, onDone }: SignInFormProps): ReactNode {
  const actions = useAuthActions()
  const { t } = useTexts()
  const methods: readonly SignInMethod[] = [
    ...(['login', 'register'] as const).filter((name) => Object.hasOwn(actions, name)),
    'token',
  ]
  const [invitation] = useState(() =>
    acceptsInvitation(actions.register?.input) ? readInvitation(location.hash) : undefined,
  )
  const [setup] = useState(() => readSetupSecret(location.hash))
  const [chosen, setMethod] = useState<SignInMethod | undefined>(
    setup === undefined ? invitation && 'register' : 'setup',
  )
  const method = chosen ?? methods[0] ?? 'token'
  useEffect(() => onMethodChange?.(method), [method, onMethodChange])
  const texts = {
    login: t.session.toSignIn,
    register: t.session.toRegister,
    setup: t.session.setUp,
    token: t.session.toToken,
  }
  return (
    <div className={styles.form}>
      {invitation && method === 'register' && <p>{t.session.invited(invitation.email)}</p>}
      {method === 'setup' && <p>{t.session.setUpText}</p>}
      <MethodForm
        key={method}
        method={method}
        input={actions[method]?.input}
        invitation={invitation}
        setup={setup}
        onDone={onDone}
      />
      {method === 'login' && (
        <details>
          <summary>{t.session.forgotten}</summary>
          <p>{t.session.forgottenText}</p>
        </details>
      )}
      {methods.length > 1 && (
        <ul className={styles.ways}>
          {methods
            .filter((name) => name !== method)
            .map((name) => (
              <li key={name}>
                <Button variant="quiet" onPress={() => setMethod(name)}>
                  {texts[name]}
                </Button>
              </li>
            ))}
        </ul>
      )}
    </div>
  )
}

interface MethodFormProps {
  readonly method: SignInMethod
  /** The JSON Schema of the action's input. */
  readonly input: AuthActionDescription['input']
  /** The invitation in the URL. */
  readonly invitation: InvitationFromLink | undefined
  /** The secret in the URL that creates the first account. */
  readonly setup: string | undefined
  readonly onDone: () => void
}

type FormValues = Readonly<Record<string, string>>

/** Lists the inputs of a method; an invitation only if the service requires one and the URL has none. */
function listInputs({ method, input, invitation }: MethodFormProps): readonly string[] {
  if (method === 'token') return ['token']
  if (method === 'login') return ['email', 'password']
  if (method === 'setup') return ['name', 'email', 'password']
  if (invitation) return ['name', 'password']
  return ['name', 'email', 'password', ...(acceptsInvitation(input) ? ['invitation'] : [])]
}

function MethodForm(props: MethodFormProps): ReactNode {
  const { method, invitation, setup, onDone } = props
  const studio = useStudio()
  const { t } = useTexts()
  const [values, setValues] = useState<FormValues>({})
  const signIn = useMutation({
    mutationFn: () =>
      beginSession(studio, method, {
        ...values,
        ...(method === 'register' ? invitation : {}),
        ...(method === 'setup' && setup !== undefined ? { setup } : {}),
      }),
    onSuccess: () => {
      // A used secret must not stay in the URL.
      if (invitation || setup !== undefined)
        history.replaceState(history.state, '', location.pathname + location.search)
      onDone()
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!signIn.isPending) signIn.mutate()
  }
  const names = listInputs(props)
  const labels = getLabels(t)
  return (
    <form onSubmit={submit} className={styles.fields}>
      {names.map((name, index) => (
        <TextField
          key={name}
          {...INPUTS[name]}
          {...(name === 'password' && method !== 'login' ? { autoComplete: 'new-password' } : {})}
          label={labels[name] ?? name}
          description={name === 'token' ? t.session.tokenText : undefined}
          name={name}
          value={values[name] ?? ''}
          onChange={(value) => setValues((current) => ({ ...current, [name]: value }))}
          autoFocus={index === 0}
          isRequired
        />
      ))}
      {signIn.isError && <FormError>{getSignInErrorText(signIn.error, method, t)}</FormError>}
      <Button type="submit" variant="primary" isPending={signIn.isPending}>
        {method === 'register' || method === 'setup' ? t.session.register : t.session.signIn}
      </Button>
    </form>
  )
}

const getLabels = ({ session }: Messages): Readonly<Record<string, string | undefined>> => {
  const { name, email, password, invitation, token } = session
  return { name, email, password, invitation, token }
}

/** Hints for browsers and password managers, by input. */
const INPUTS: Readonly<Record<string, { readonly type?: 'email' | 'password'; readonly autoComplete: string }>> = {
  name: { autoComplete: 'name' },
  email: { type: 'email', autoComplete: 'username' },
  password: { type: 'password', autoComplete: 'current-password' },
  invitation: { autoComplete: 'one-time-code' },
  token: { type: 'password', autoComplete: 'off' },
}

/** A rejected sign-in that the user can act on. */
class SignInRefusal extends Error {
  readonly reason: 'tokenWrong' | 'secondFactor'

  constructor(reason: 'tokenWrong' | 'secondFactor') {
    super(reason)
    this.reason = reason
  }
}

async function beginSession({ client, token }: Studio, method: SignInMethod, values: FormValues): Promise<void> {
  if (method === 'token') {
    const pastedToken = values.token?.trim() ?? ''
    const { authenticated } = await client.withToken(pastedToken).auth.session()
    if (!authenticated) throw new SignInRefusal('tokenWrong')
    return token.set(pastedToken)
  }
  const { authenticated } = await client
    .withToken(undefined)
    .auth.action<{ readonly authenticated: boolean }>(method, values)
  if (!authenticated) throw new SignInRefusal('secondFactor')
  token.set(undefined)
}

function getSignInErrorText(error: unknown, method: SignInMethod, t: Messages): string {
  if (error instanceof SignInRefusal) return t.session[error.reason]
  if (!(error instanceof DaybookError)) return getErrorText(error, t)
  if (error.code === 'UNAUTHORIZED') return t.session.wrongCredentials
  if (error.code === 'FORBIDDEN' && method === 'setup') return t.session.setUpClosed
  if (error.code === 'CONFLICT' && method === 'register') return t.session.accountExists
  const [issue] = error.details.issues ?? []
  if (issue?.path === '/invitation') return t.session.invitationExpired
  if (!issue) return getErrorText(error, t)
  const name = issue.path.replace(/^\//, '')
  return `${getLabels(t)[name] ?? name}: ${getIssueText(issue, t)}`
}
