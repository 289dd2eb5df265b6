import type { ReactNode } from 'react'
import { useActorName } from '../../session/use-actor-name.ts'

/** Names a person in a row. */
export default function Person({ subject }: { readonly subject: string }): ReactNode {
  return useActorName([subject])(subject)
}
