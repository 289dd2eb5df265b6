import { type CallerContent, DaybookError, type HookData, type ListOptions } from '../../index.ts'

/** The addresses of a redirect. */
export interface Redirect {
  readonly from: string
  readonly to: string
}

/** How many redirects are read at once. */
const BATCH = 100

/** The redirects of a service, as a transaction sees them. */
export class RedirectBook {
  readonly #content: CallerContent

  /** @param content that of the transaction, as the system */
  constructor(content: CallerContent) {
    this.#content = content
  }

  /** A page has moved: its old address leads to the new one, which leads nowhere else. */
  async move(from: string, to: string, status: string): Promise<void> {
    await this.clear(to)
    const [known] = await this.#find({ from: { eq: from } })
    if (known) await this.#content.update('redirects', known.id, { to })
    else await this.#content.create('redirects', { from, to, status })
  }

  /** There is a page at an address: it leads nowhere else. */
  async clear(address: string): Promise<void> {
    for (const { id } of await this.#find({ from: { eq: address } })) await this.#content.delete('redirects', id)
  }

  /**
   * Keeps redirects one step long: what leads to the old address leads to the new one, and the new one is where it leads.
   *
   * @returns where the redirect is to lead
   * @throws VALIDATION_ERROR for a redirect that leads back to itself
   */
  async settle(id: string, { from, to }: Redirect): Promise<string> {
    const [next] = await this.#find({ from: { eq: to }, id: { ne: id } })
    const end = next ? redirectOf(next).to : to
    if (end === from) {
      const issue = { path: '/to', code: 'loop', message: 'leads back to /from; write another address' }
      throw new DaybookError('VALIDATION_ERROR', `${issue.path}: ${issue.message}`, { issues: [issue] })
    }
    const leading = { to: { eq: from }, id: { ne: id } }
    for (let found = await this.#find(leading); found.length > 0; found = await this.#find(leading)) {
      for (const redirect of found) await this.#content.update('redirects', redirect.id, { to: end })
    }
    return end
  }

  async #find(where: ListOptions['where'] & object): Promise<readonly StoredRedirect[]> {
    return (await this.#content.list('redirects', { where, limit: BATCH })).items
  }
}

type StoredRedirect = HookData & { readonly id: string }

/** The addresses of a stored redirect. */
export const redirectOf = ({ from, to }: HookData): Redirect => ({ from: String(from), to: String(to) })
