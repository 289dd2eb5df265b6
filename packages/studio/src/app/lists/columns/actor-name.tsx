import type { ReactNode } from 'react'
import { useActorName } from '../../session/use-actor-name.ts'

export default function ActorName({ subject }: { readonly subject: string }): ReactNode {
  return useActorName([subject])(subject)
}
