import { useEffect, useRef, useState } from 'react'
import { useFormDocument } from '../../form-document.ts'
import { isSame } from '../../saving/merging/same-value.ts'
import { type ReadJson, readJson } from './read-json.ts'

/** What somebody has typed in a field of JSON. */
export interface TypedJson {
  /** `undefined`: nothing since the value came from elsewhere. */
  readonly text: string | undefined
  readonly read: ReadJson | undefined
  readonly type: (text: string) => void
}

/** Whether a place is that of an item, which another one may have taken meanwhile. */
const isOfItem = (place: string): boolean => /\.\d+(?:\.|$)/.test(place)

/** Keeps a text as it is typed; one that says nothing yet outlives the page. */
export function useTypedJson(place: string, value: unknown): TypedJson {
  const { unfinishedAt, keepUnfinished } = useFormDocument()
  const [text, type] = useState(() => {
    const left = unfinishedAt(place)
    return left && (!isOfItem(place) || isSame(left.value, value ?? null)) ? left.text : undefined
  })
  const read = text === undefined ? undefined : readJson(text)
  const isUnfinished = read !== undefined && !read.isValid
  const former = useRef(place)
  useEffect(() => {
    const moved = former.current !== place && unfinishedAt(former.current)?.text === text
    if (moved) keepUnfinished(former.current, undefined)
    former.current = place
    keepUnfinished(place, isUnfinished ? { text: text ?? '', value: value ?? null } : undefined)
  }, [place, text, isUnfinished, value, unfinishedAt, keepUnfinished])
  return { text, read, type }
}
