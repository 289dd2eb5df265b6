import { createContext } from 'react'

/** Opens a form for a new entry over the page, and tells the id of what was made. */
export type CreateTarget = (collection: string, onCreated: (id: string) => void) => void

/** What makes entries to refer to; `null`: another tab does. A form that can provides it. */
export const CreateTargetContext = createContext<CreateTarget | null>(null)
