export type {
  ActorName,
  BulkOutcome,
  PatchOperation,
  Permission,
  PresentUser,
  ReversePageOptions,
  ScheduleOptions,
  UndoRange,
  UndoReport,
  Version,
  VersionDifference,
  VersionList,
} from 'daybook'
export { createClient } from './client.ts'
export { type ClientErrorCode, DaybookError, NetworkError, TimeoutError } from './errors.ts'
export { toQueryString } from './query.ts'
export type { CallOptions, ClientOptions, RequestOptions, Token } from './request.ts'
export { changesOf, etagOf } from './response.ts'
export type { RetryOptions } from './retry.ts'
export type {
  AllPermissions,
  AuthActionDescription,
  AuthClient,
  EntryPermissions,
  GlobalPermissions,
  Permissions,
  PublicationPermissions,
  Session,
  SignedIn,
} from './types/auth.ts'
export type {
  Asset,
  AssetClient,
  BrokenLink,
  BulkOptions,
  Client,
  CollectionClient,
  EntryOf,
  GlobalClient,
  ListQuery,
  OrderClient,
  PageQuery,
  ReadQuery,
  Reference,
  UploadOptions,
} from './types/client.ts'
export type {
  CrossCollectionQuery,
  CursorPage,
  DeletedEntry,
  DeletedQuery,
  DraftsQuery,
  ListedDraft,
  ListedSchedule,
  SearchQuery,
  TitledEntry,
} from './types/cross-collection.ts'
export type {
  ConditionOptions,
  DraftsClient,
  Preview,
  PublishOptions,
  SaveDraftOptions,
} from './types/drafts.ts'
export type { Locale } from './types/fields.ts'
export type { EqualityFilter, MembersFilter, OrderFilter, Sort, Status, TextFilter, Where } from './types/filter.ts'
export type {
  Change,
  ChangeStore,
  ChangesPage,
  ChangesQuery,
  ComparedVersions,
  JournalPage,
  JournalQuery,
  JournalRecord,
  MemoryCopy,
  SubscribeOptions,
  SyncOptions,
  UndoOptions,
  VersionQuery,
  VersionsQuery,
  WholeVersion,
} from './types/journal.ts'
export type { Depth } from './types/paths.ts'
export type { Alternate } from './types/queried-document.ts'
export type { EntryPatch, Operation, Outcome } from './types/write.ts'
export type {
  ChangeOptions,
  DeleteOptions,
  EntryOrId,
  GlobalChangeOptions,
  RestoreOptions,
  WriteOptions,
} from './types/write-options.ts'
export type { UploadProgress, UploadSource } from './upload.ts'
