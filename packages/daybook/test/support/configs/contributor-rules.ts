import { type AccessRule, hasRole } from 'daybook'

// The rules of docs/contributors-and-editors.md.

export const isEditor = hasRole('editor', 'service')

/** Contributors read what is published and their own entries. */
export const publishedOrOwn: AccessRule = (request) => {
  const published = { status: { eq: 'published' } }
  if (isEditor(request)) return true
  return request.identity ? { or: [published, { createdBy: { eq: request.identity.subject } }] } : published
}

/** Contributors change their own entries while these are drafts. */
export const ownDrafts: AccessRule = (request) =>
  isEditor(request) ||
  (hasRole('contributor')(request) &&
    request.identity !== null && { createdBy: { eq: request.identity.subject }, status: { eq: 'draft' } })
