// Files
export type {
  BlobContent,
  BlobHeaders,
  BlobStore,
  BlobStoreHost,
  BlobStoreOption,
  ByteRange,
  StagedBlob,
  StoredBlob,
} from './assets/blob-store.ts'
export { type DiskOptions, disk } from './assets/disk.ts'
export { type ImageParameters, signImage } from './assets/images/image-request.ts'
export { formatDisposition, mustBeSaved, servedType } from './assets/media-type.ts'
// Callers
export {
  type ActorType,
  ANONYMOUS,
  type AuthAction,
  type AuthAdapter,
  type AuthCapabilities,
  type AuthContext,
  type AuthHost,
  type AuthSource,
  type Caller,
  getIdentity,
  getSubject,
  hasRole,
  type Identity,
  isAuthenticated,
  isHumanUser,
  type Principal,
  SYSTEM,
} from './auth/adapter.ts'
export type { ActorName } from './auth/guard.ts'
export { serviceTokenAdapter } from './auth/service-token.ts'
export type {
  AccessComparison,
  AccessRequest,
  AccessRule,
  AccessValue,
  AccessWhere,
  AssetAccess,
  CollectionAccess,
  GlobalAccess,
  GlobalRule,
  PeopleAccess,
} from './config/access.ts'
export { ConfigError, type ConfigFault } from './config/check-config.ts'
export type {
  AccountsConfig,
  CacheTagHeader,
  CdnConfig,
  CollectionConfig,
  CollectionFields,
  CollectionKey,
  CorsConfig,
  DaybookConfig,
  DraftEntry,
  DraftUpdate,
  Entry,
  EntryCreate,
  EntryKey,
  EntryPosition,
  EntryUpdate,
  GlobalConfig,
  GlobalEntry,
  GlobalFields,
  GlobalKey,
  GlobalUpdate,
  HtmlAllowance,
  LimitsConfig,
  LocalesConfig,
  MarkdownConfig,
  OpenConfig,
  OrderedKey,
  SeedContent,
  SeedContentOf,
  SeedOptions,
  StatusKey,
  ValidationContentOf,
} from './config/config.ts'
export type { DocsConfig } from './config/docs.ts'
export type { FormConfig, FormRow, FormSection, FormTab } from './config/form.ts'
export type { Plugin } from './config/plugin.ts'
export type { Permission } from './content/access/permissions.ts'
export type { CallerFiles, NewFile, StoredFile } from './content/assets/caller-files.ts'
export type { AssetPlace } from './content/assets/create-asset.ts'
// Content
export type {
  AggregateResult,
  BatchOperation,
  BatchOutcome,
  BulkOptions,
  BulkOutcome,
  DraftReadOptions,
  DryRunOptions,
  ListOptions,
  ListResult,
  LocaleOptions,
  NewEntryOptions,
  PreconditionOptions,
  PublishOptions,
  ReadOptions,
  RestoreOptions,
  ReversePageOptions,
  SaveDraftOptions,
  ScheduleOptions,
  UnpublishOptions,
  UpdateOptions,
  ValueCount,
} from './content/call-options.ts'
export type { CallerContent } from './content/caller-content.ts'
export { ServiceContent } from './content/caller-content.ts'
export type {
  BlockDescription,
  FieldDescription,
  RelationDescription,
  ReverseDescription,
  ValueDescription,
} from './content/description/field-description.ts'
export type {
  FormDescription,
  FormPartDescription,
  FormTabDescription,
} from './content/description/form-description.ts'
export type {
  CollectionDescription,
  GlobalDescription,
  LocalesDescription,
  ModelDescription,
  PluginDescription,
  SystemFieldDescription,
} from './content/description/model-description.ts'
export { etagOf } from './content/reads/index.ts'
export {
  defineMigration,
  type EntryChange,
  type MigratedEntry,
  type Migration,
  type MigrationContent,
  type MigrationContext,
} from './content/transfer/index.ts'
export { DaybookError, ERRORS, type ErrorCode, type ErrorDetails, StartupError } from './errors.ts'
// Custom field types
export {
  type AnyOptions,
  type CommonOptions,
  type DefaultRequest,
  type DefaultRule,
  type DerivedValue,
  type DeriveTools,
  type Exactly,
  type ExtractedValue,
  type FaultReport,
  type Field,
  type FieldMarks,
  type FieldPlace,
  type FieldPlacement,
  type Fields,
  type FieldType,
  type Fill,
  type FillFunction,
  type Generated,
  type GeneratedValues,
  type InnerFields,
  type JsonSchema,
  makeField,
  type OptionRule,
  type Reference,
  type RelationInfo,
  type Scalar,
  type ScalarOptions,
  type SearchInfo,
  scalarBehavior,
  type Visitor,
} from './fields/field.ts'
export { f } from './fields/index.ts'
export type { InterfaceText } from './fields/interface-text.ts'
export type { TocEntry } from './fields/markdown-headings.ts'
export { COMMON_RULES, SCALAR_RULES } from './fields/option-rules.ts'
export type {
  DocumentValidator,
  FieldValidationContext,
  FieldValidator,
  ValidationContent,
  ValidationContext,
  ValidationIssue,
  ValidationListQuery,
  ValidationQuery,
  ValidationResult,
} from './fields/validation.ts'
export type { Issue, IssueCode, IssueParams } from './issues.ts'
export type { PatchOperation } from './journal/history/json-patch.ts'
export type { Version, VersionDifference, VersionList } from './journal/history/versions.ts'
export type { PresentUser } from './journal/live/presence.ts'
export type { ReplayRequest } from './journal/replay.ts'
export type { DeliveryState } from './journal/stored-deliveries.ts'
export { DeliveryError, type SubscriptionTimes } from './journal/subscriber.ts'
export type { UndoReport } from './journal/undo/undo.ts'
export type { UndoRange } from './journal/undo/undo-plan.ts'
export { type Log, type RequestLine, SILENT } from './log.ts'
export {
  type CollectionDefinition,
  defineCollection,
  defineConfig,
  defineGlobal,
  type GlobalDefinition,
} from './plugin-host/define-config.ts'
export {
  definePlugin,
  type PluginContext,
  type PluginDefinition,
  type PluginRuntime,
  type RelatedPlugin,
} from './plugin-host/define-plugin.ts'
export { describeFileResponses, respondWithFile, type ServedFile } from './plugin-host/file-response.ts'
export type {
  AfterCommitEntry,
  AfterCommitGlobal,
  AsSystem,
  Awaitable,
  BeforeChangeEntry,
  BeforeChangeGlobal,
  BeforeValidateEntry,
  BeforeValidateGlobal,
  CollectionHooks,
  GlobalHooks,
  HookData,
  PluginHooks,
  PluginLog,
  SystemReason,
} from './plugin-host/hooks.ts'
export type {
  DeliveryQuery,
  FailedDelivery,
  JournalEvent,
  JournalSubscription,
  PluginJournal,
  SubscribedCollection,
  SubscribedJournal,
  SubscriptionStatus,
} from './plugin-host/journal-subscription.ts'
export type { PluginStorage, StoredBytes } from './plugin-host/plugin-storage.ts'
export type {
  PluginJsonBody,
  PluginParameter,
  PluginPathParameter,
  PluginRequest,
  PluginResponse,
  PluginRoute,
  PluginStreamBody,
  QueryValue,
} from './plugin-host/route.ts'
export { type StaticFilesOptions, staticFiles } from './plugin-host/static-files.ts'
export { createService, type Service, type ServiceOptions } from './service.ts'
export type { ShowIf, ShowIfOperators, ShowIfValue } from './show-if.ts'
