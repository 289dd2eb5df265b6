export type {
  ActorName,
  AtTime,
  ManyOutcome,
  PatchOperation,
  Permission,
  PresentPerson,
  ReversePageOptions,
  UndoRange,
  UndoReport,
  Version,
  VersionDifference,
  VersionList,
} from 'daybook'
export { changesOf } from './changes.ts'
export { createClient } from './client.ts'
export { type ClientErrorCode, DaybookError, NetworkError, TimeoutError } from './errors.ts'
export { etagOf } from './etag.ts'
export { toQueryString } from './query.ts'
export type { CallOptions, ClientOptions, RequestOptions, Token } from './request.ts'
export type { RetryOptions } from './retry.ts'
export type {
  AcrossPage,
  AcrossQuery,
  DeletedEntry,
  DeletedQuery,
  DraftsQuery,
  ListedDraft,
  ListedSchedule,
  SearchQuery,
  TitledEntry,
} from './types/across.ts'
export type { Alternate } from './types/answered.ts'
export type {
  AllPermissions,
  Asset,
  AssetClient,
  AuthActionDescription,
  AuthClient,
  Client,
  CollectionClient,
  EntryOf,
  EntryPermissions,
  GlobalClient,
  GlobalPermissions,
  ListQuery,
  ManyOptions,
  PageQuery,
  Permissions,
  PublicationPermissions,
  ReadQuery,
  Reference,
  Session,
  SignedIn,
  UploadOptions,
} from './types/client.ts'
export type {
  ConditionOptions,
  DraftsClient,
  Preview,
  PublishOptions,
  SaveDraftOptions,
} from './types/drafts.ts'
export type {
  Change,
  ChangeStore,
  ChangesPage,
  ChangesQuery,
  JournalPage,
  JournalQuery,
  JournalRecord,
  MemoryCopy,
  SubscribeOptions,
  SyncOptions,
} from './types/feed.ts'
export type { Locale } from './types/fields.ts'
export type { EqualityFilter, MembersFilter, OrderFilter, Sort, Status, TextFilter, Where } from './types/filter.ts'
export type {
  ComparedVersions,
  UndoOptions,
  VersionQuery,
  VersionsQuery,
  WholeVersion,
} from './types/history.ts'
export type { Depth } from './types/paths.ts'
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
