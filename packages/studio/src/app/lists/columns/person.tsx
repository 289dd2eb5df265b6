import type { ReactNode } from 'react'
import { usePersonName } from '../../session/use-person-name.ts'

/** Names a person in a row. */
export default function Person({ subject }: { readonly subject: string }): ReactNode {
  return usePersonName([subject])(subject)
}
