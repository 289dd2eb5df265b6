import { LANGUAGES } from './built-files.ts'

/** How a visitor wants to see the Studio. */
export interface Visitor {
  readonly language: string
  /** `undefined`: as the system asks. */
  readonly theme: 'light' | 'dark' | undefined
}

/** Reads what the visitor chose in the Studio, which cookies keep, and else what the browser prefers. */
export function visitorOf(headers: Headers): Visitor {
  const cookies = new Map((headers.get('cookie') ?? '').split(/; */).map((pair) => splitAt(pair, '=')))
  const theme = cookies.get('daybook-studio-theme')
  const asked = [
    cookies.get('daybook-studio-language'),
    ...(headers.get('accept-language') ?? '').split(',').map((one) => one.trim().slice(0, 2).toLowerCase()),
  ]
  return {
    language: asked.find((one): one is string => one !== undefined && LANGUAGES.includes(one)) ?? 'en',
    theme: theme === 'light' || theme === 'dark' ? theme : undefined,
  }
}

function splitAt(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
