import { type AccessRule, type AccessWhere, hasRole } from 'daybook'

/** Editors, and programs that work for the magazine. */
export const isEditor = hasRole('editor', 'service')

const isContributor = hasRole('contributor')

const PUBLISHED: AccessWhere = { status: { eq: 'published' } }

/** Everyone reads what is published, contributors also what they have written, editors everything. */
export const publishedOrOwn: AccessRule = (request) => {
  if (isEditor(request)) return true
  return request.identity ? { or: [PUBLISHED, { createdBy: { eq: request.identity.subject } }] } : PUBLISHED
}

/** Contributors hand in drafts; editors decide what becomes of them. */
export const draftsOfContributors: AccessRule = (request) =>
  isEditor(request) || (isContributor(request) && { status: { eq: 'draft' } })

/** Contributors change what they have written, until it is published. */
export const ownDrafts: AccessRule = (request) =>
  isEditor(request) ||
  (isContributor(request) &&
    request.identity !== null && { createdBy: { eq: request.identity.subject }, status: { eq: 'draft' } })

/** What stands around the articles is the editors'. */
export const editorsWrite = { create: isEditor, update: isEditor, delete: isEditor } as const
