const NAME = 'daybook-studio-token'

/** A pasted token: this tab keeps it, and forgets it when it closes. */
export class TokenStore {
  get(): string | undefined {
    return sessionStorage.getItem(NAME) ?? undefined
  }

  set(token: string | undefined): void {
    if (token === undefined) sessionStorage.removeItem(NAME)
    else sessionStorage.setItem(NAME, token)
  }
}
