import { useRouter } from '@tanstack/react-router'
import { useContext, useEffect, useRef } from 'react'
import type { StudioCollection } from '../../../../model/studio-model.ts'
import { CreateTargetContext } from '../create-target.ts'

/**
 * Makes an entry to refer to: in a dialog where the form offers one, else in another tab, from where it is taken when the person is back.
 *
 * @param onCreated told its id
 */
export function useCreation({ key }: StudioCollection, onCreated: (id: string) => void): () => void {
  const router = useRouter()
  const openCreate = useContext(CreateTargetContext)
  const tab = useRef<Window>(null)
  const created = useRef(onCreated)
  useEffect(() => {
    created.current = onCreated
  })
  useEffect(() => {
    const look = (): void => {
      const id = tab.current && createdIn(tab.current, key)
      if (id === null || id === undefined) return
      tab.current = null
      created.current(id)
    }
    addEventListener('focus', look)
    return () => removeEventListener('focus', look)
  }, [key])
  return () => {
    if (openCreate) return openCreate(key, onCreated)
    const place = { to: '/c/$collection/$id', params: { collection: key, id: 'new' } } as const
    tab.current = open(router.buildLocation(place).publicHref, '_blank')
  }
}

/** The entry that a tab of the Studio shows; `undefined`: none that is stored. */
function createdIn(tab: Window, collection: string): string | undefined {
  try {
    const [, found, id] = /\/c\/([^/]+)\/([0-9a-f-]{36})$/.exec(tab.location.pathname) ?? []
    return found === collection ? id : undefined
  } catch {
    // It has left the Studio.
    return undefined
  }
}
