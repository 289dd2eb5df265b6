import {
  type CallerContent,
  type CollectionConfig,
  DaybookError,
  defineCollection,
  type Field,
  f,
  type HookData,
  type ListOptions,
} from '../../index.ts'

export const REDIRECT_STATUSES = ['301', '302', '307', '308'] as const

export type RedirectStatus = (typeof REDIRECT_STATUSES)[number]

/** The longest address, in characters. */
export const MAX_ADDRESS = 512

/** A path. Two slashes, or a backslash, would name another host. */
const PATH = String.raw`/(?![/\\])[^?#\s\\]*`
/** A path with its query and fragment, or an absolute URL. */
const TARGET = String.raw`(?:/(?![/\\])|https?://[^\s/\\])[^\s\\]*`

export type RedirectFields = Readonly<{
  from: Field<string, { readonly required: true }>
  to: Field<string, { readonly required: true }>
  status: Field<RedirectStatus, { readonly required: true; readonly default: '301' }>
}>

/** Redirects, each of which leads to a page that is not redirected again. */
export const redirectCollection: CollectionConfig<RedirectFields> = defineCollection({
  label: { en: 'Redirects', de: 'Weiterleitungen' },
  singularLabel: { en: 'Redirect', de: 'Weiterleitung' },
  description: { en: 'Addresses that have moved.', de: 'Adressen, die umgezogen sind.' },
  fields: {
    from: f.text({
      label: { en: 'From', de: 'Von' },
      required: true,
      unique: true,
      maxLength: MAX_ADDRESS,
      pattern: `^${PATH}$`,
      search: false,
    }),
    to: f.text({
      label: { en: 'To', de: 'Nach' },
      required: true,
      maxLength: MAX_ADDRESS,
      pattern: `^${TARGET}$`,
      search: false,
    }),
    status: f.select({
      label: { en: 'Status code', de: 'Statuscode' },
      required: true,
      options: REDIRECT_STATUSES,
      default: '301',
    }),
  },
  hooks: {
    beforeValidate: ({ data }) => ({
      ...data,
      ...('from' in data ? { from: normalizeAddress(data.from) } : {}),
      ...('to' in data ? { to: normalizeAddress(data.to) } : {}),
    }),
    beforeChange: async ({ id, after, asSystem }) => {
      if (!after) return undefined
      const target = await shortenRedirects(asSystem({ reason: 'redirects stay one step long' }), id, after)
      return target === after.to ? undefined : { to: target }
    },
  },
})

/** The number of redirects that are read at once; the collection allows no more. */
export const BATCH = 100

/** A host that no URL has. */
const PLACEHOLDER_ORIGIN = 'http://placeholder.invalid'

/**
 * Returns an address as browsers send it: percent-encoded, without `.` and `..`. Anything else stays as it is, and
 * fails the validation.
 */
function normalizeAddress(address: unknown): unknown {
  if (typeof address !== 'string' || !/^(?:\/|https?:\/\/)/.test(address)) return address
  const url = URL.parse(address, PLACEHOLDER_ORIGIN)
  if (!url) return address
  if (!address.startsWith('/')) return url.href
  // Two slashes name a host.
  return url.origin === PLACEHOLDER_ORIGIN ? `${url.pathname}${url.search}${url.hash}` : address
}

/**
 * Makes all redirects to the source of a redirect lead to its target.
 *
 * @returns the target, which is that of the next redirect if there is one
 * @throws VALIDATION_ERROR for a redirect that leads back to itself
 */
async function shortenRedirects(content: CallerContent, id: string, { from, to }: HookData): Promise<string> {
  const [next] = await findRedirects(content, { from: { eq: to }, id: { ne: id } })
  const target = String(next?.to ?? to)
  if (target === from) {
    const message = 'to leads back to from. Choose another address.'
    throw new DaybookError('VALIDATION_ERROR', message, { issues: [{ path: '/to', code: 'loop', message }] })
  }
  const where = { to: { eq: from }, id: { ne: id } }
  for (let batch = await findRedirects(content, where); batch.length > 0; batch = await findRedirects(content, where)) {
    for (const redirect of batch) await content.update('redirects', redirect.id, { to: target })
  }
  return target
}

/** Redirects the old address of a page to the new one. */
export async function redirectPage(
  content: CallerContent,
  from: string,
  to: string,
  status: RedirectStatus,
): Promise<void> {
  await removeRedirect(content, to)
  const [existing] = await findRedirects(content, { from: { eq: from } })
  if (existing) await content.update('redirects', existing.id, { to })
  else await content.create('redirects', { from, to, status })
}

/** Removes the redirect of an address that has a page. */
export async function removeRedirect(content: CallerContent, from: string): Promise<void> {
  for (const { id } of await findRedirects(content, { from: { eq: from } })) await content.delete('redirects', id)
}

async function findRedirects(
  content: CallerContent,
  where: ListOptions['where'] & object,
): Promise<readonly (HookData & { readonly id: string })[]> {
  return (await content.list('redirects', { where, limit: BATCH })).items
}
