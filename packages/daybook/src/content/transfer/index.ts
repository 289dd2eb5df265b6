export { ContentExport } from './export.ts'
export type { ExportCounts } from './export-lines.ts'
export { ExportStreams } from './export-streams.ts'
export { fillStored, unfilledFields } from './fill.ts'
export {
  dropOrphaned,
  isLossy,
  type MigrationStep,
  moveStored,
  pendingRenames,
  planMigration,
  requireKept,
} from './migration.ts'
export {
  defineMigration,
  type EntryChange,
  type MigratedEntry,
  type Migration,
  type MigrationContent,
  type MigrationContext,
} from './migrations/define-migration.ts'
export {
  type LoadedMigration,
  type MigrationFile,
  MigrationLock,
  pendingMigrations,
  runMigrations,
} from './migrations/run-migrations.ts'
export { findMisfits } from './misfits.ts'
export { LineError, type PreparedLine, prepareLine, Restore, whyNotRestored } from './restore.ts'
export { checkLine, type RestoreLine, readCounts, readHeader, readLine } from './restore-lines.ts'
export { hiddenFields, storedContentOf } from './stored-content.ts'
