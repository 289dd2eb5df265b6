export type { Answer, EntryAnswer, LazyResponse } from './answer.ts'
export { readEntry, requireReadable } from './entry.ts'
export {
  documentTag,
  heldRevision,
  heldTag,
  matchesTag,
  type Preconditions,
  readTags,
  requireTagMatch,
  revisionOf,
  TAGS_SCHEMA,
  type TagCondition,
  variantOf,
} from './etags.ts'
export { blankRow, globalIn, readGlobal } from './global.ts'
export { countMatches, readList, resolveListQuery } from './list.ts'
export { type Projection, present, project } from './present.ts'
export { searchAll } from './search.ts'
export { etagOf } from './tagged.ts'
