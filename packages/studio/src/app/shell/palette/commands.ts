import { useMemo } from 'react'
import { useTexts } from '../../messages/messages.tsx'
import { ASSETS } from '../../model/studio-model.ts'
import { useModel } from '../../model/use-model.ts'
import type { Place } from './place.ts'

/** Every page of the Studio, and what can be begun. */
export function usePlaces(): readonly Place[] {
  const { t } = useTexts()
  const { collections, globals } = useModel()
  return useMemo(() => {
    const written = [...collections.values()].filter(({ key }) => key !== ASSETS)
    const made = written.filter(({ permissions }) => permissions.create !== false)
    return [
      { to: '/', label: t.shell.overview, kind: t.palette.page },
      ...(collections.has(ASSETS) ? [{ to: '/assets', label: t.assets.navigation, kind: t.palette.page }] : []),
      ...written.map(({ key, label }) => ({ to: `/c/${key}`, label, kind: t.palette.collection })),
      ...[...globals.values()].map(({ key, label }) => ({ to: `/g/${key}`, label, kind: t.palette.global })),
      ...made.map(({ key, label }) => ({
        to: `/c/${key}/new`,
        label: t.palette.createIn(label),
        kind: t.palette.action,
      })),
    ]
  }, [collections, globals, t])
}
