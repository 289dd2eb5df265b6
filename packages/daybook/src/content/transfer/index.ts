export {
  defineMigration,
  type EntryChange,
  type MigratedEntry,
  type Migration,
  type MigrationContent,
  type MigrationContext,
} from './define-migration.ts'
export { ContentExport } from './export.ts'
export type { ExportCounts } from './export-lines.ts'
export { ExportStreams } from './export-streams.ts'
export { fillStoredDocuments, findUnfilledFields } from './fill.ts'
export { findInvalidValues } from './invalid-values.ts'
export { findRestoreObstacle, LineError, type PreparedLine, prepareLine, Restore } from './restore.ts'
export { checkLine, type RestoreLine, readCounts, readHeader, readLine } from './restore-lines.ts'
export {
  findPendingMigrations,
  type LoadedMigration,
  type MigrationFile,
  MigrationLock,
  runMigrations,
} from './run-migrations.ts'
export {
  dropOrphaned,
  findPendingRenames,
  isLossy,
  type MigrationStep,
  migrateStoredDocuments,
  planMigration,
  requireNoValueLost,
} from './schema-migration.ts'
export { createContentAlignment, findHiddenFields } from './stored-content.ts'
