import type { TestService } from 'daybook/testing'

/** A line of an export. */
export type Line = Readonly<Record<string, unknown>>

/** Asks for an export as the service principal. */
export const askExport = ({ request, token }: Pick<TestService, 'request' | 'token'>, query = ''): Promise<Response> =>
  request(`/api/export${query}`, { headers: { Authorization: `Bearer ${token}` } })

/** The lines of a text, each parsed. */
export const toLines = (text: string): readonly Line[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

/** All lines of an export, parsed. */
export async function exportOf(service: Pick<TestService, 'request' | 'token'>, query = ''): Promise<readonly Line[]> {
  return toLines(await (await askExport(service, query)).text())
}

/** The lines as they were sent, but for the header, which tells of one moment. */
export const withoutHeader = (text: string): string => text.slice(text.indexOf('\n') + 1)
