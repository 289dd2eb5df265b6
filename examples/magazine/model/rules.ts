import { type AccessRule, type AccessWhere, hasRole } from 'daybook'

/** True for editors, and for programs of the magazine. */
export const isEditor = hasRole('editor', 'service')

const isContributor = hasRole('contributor')

const PUBLISHED: AccessWhere = { status: { eq: 'published' } }

/** Everyone reads published articles, contributors also their own, editors all. */
export const publishedOrOwn: AccessRule = (request) => {
  if (isEditor(request)) return true
  return request.identity ? { or: [PUBLISHED, { createdBy: { eq: request.identity.subject } }] } : PUBLISHED
}

/** Contributors create drafts, which only editors publish. */
export const draftsOfContributors: AccessRule = (request) =>
  isEditor(request) || (isContributor(request) && { status: { eq: 'draft' } })

/** Contributors change their articles until these are published. */
export const ownDrafts: AccessRule = (request) =>
  isEditor(request) ||
  (isContributor(request) &&
    request.identity !== null && { createdBy: { eq: request.identity.subject }, status: { eq: 'draft' } })

/** Editors alone change everything else. */
export const editorsWrite = { create: isEditor, update: isEditor, delete: isEditor } as const
