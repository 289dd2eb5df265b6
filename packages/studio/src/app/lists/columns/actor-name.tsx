import type { ReactNode } from 'react'
import { useActorName } from '../../session/use-actor-name.ts'

/** The name of an actor in a row. */
export default function ActorName({ subject }: { readonly subject: string }): ReactNode {
  return useActorName([subject])(subject)
}
