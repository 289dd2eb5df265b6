import { lazy, type ReactNode, Suspense } from 'react'
import type { MeanwhileProps } from './conflict-list.tsx'

const All = lazy(async () => ({ default: (await import('./meanwhile.tsx')).Meanwhile }))

/** All that has happened to a document meanwhile; most of the time, that is nothing, and nothing is loaded for it. */
export function Meanwhile(props: MeanwhileProps): ReactNode {
  const { conflicts, notes, aside } = props.state
  if (conflicts.size + notes.length + aside.length === 0) return null
  return (
    <Suspense>
      <All {...props} />
    </Suspense>
  )
}
