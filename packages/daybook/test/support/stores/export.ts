import type { TestService } from 'daybook/testing'

export type Line = Readonly<Record<string, unknown>>

/** Requests an export as the service principal. */
export const askExport = ({ request, token }: Pick<TestService, 'request' | 'token'>, query = ''): Promise<Response> =>
  request(`/api/export${query}`, { headers: { Authorization: `Bearer ${token}` } })

export const toLines = (text: string): readonly Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

export async function exportOf(service: Pick<TestService, 'request' | 'token'>, query = ''): Promise<readonly Line[]> {
  return toLines(await (await askExport(service, query)).text())
}

/** Removes the header of an export, which contains the time. */
export const withoutHeader = (text: string): string => text.slice(text.indexOf('\n') + 1)
