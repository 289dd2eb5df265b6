export { authorizeEntryRead, readEntry } from './entry.ts'
export {
  findMatchingTag,
  getClientRevision,
  hashCacheKey,
  hasLinksPart,
  matchesTag,
  type Preconditions,
  parseRevision,
  parseTags,
  requireTagMatch,
  TAGS_SCHEMA,
  type TagCondition,
  toDocumentTag,
} from './etags.ts'
export { localizeGlobal, readGlobal, toBlankRow } from './global.ts'
export { countMatches, readList, resolveListQuery } from './list.ts'
export { type Projection, present, project } from './present.ts'
export type { DocumentResponse, EntryResponse, LazyResponse } from './response.ts'
export { etagOf } from './response.ts'
export { searchCollections } from './search.ts'
