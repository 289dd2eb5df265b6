import { hash } from 'node:crypto'

/** An entity tag for what an answer is made of. */
export const tagOf = (parts: unknown): string => `"${hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22)}"`
