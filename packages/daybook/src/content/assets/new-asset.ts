import { dispositionOf } from '../../assets/disposition.ts'
import { directoryViolation, filenameViolation, makeFilename } from '../../assets/file-names.ts'
import type { StagedFile } from '../../assets/intake.ts'
import { servedType } from '../../assets/media-type.ts'
import { invalid } from '../../errors.ts'
import { type Issue, issueAt } from '../../issues.ts'
import type { NewAsset } from './create-asset.ts'
import type { Files } from './files.ts'

/** What an uploader says of a file. */
export interface AssetTexts {
  readonly directory?: string | undefined
  readonly filename?: string | undefined
  readonly alt?: string | undefined
}

/**
 * The asset that a staged file is to become.
 *
 * @throws VALIDATION_ERROR with one issue for each text that is wrong
 */
export function toNewAsset(file: StagedFile, texts: AssetTexts, files: Files): NewAsset {
  const { staged, originalName, mimeType, size, sha256, image } = file
  const { directory = '', filename = makeFilename(originalName), alt } = texts
  requirePlace(directory, filename)
  return {
    staged,
    facts: { originalName, mimeType, size, sha256, ...image },
    place: { directory, filename },
    headers: { type: servedType(mimeType), disposition: dispositionOf(mimeType, filename, originalName) },
    describe: (path) => files.describe(path, mimeType),
    data: alt === undefined ? {} : { alt },
  }
}

/** @throws VALIDATION_ERROR with one issue for each that no file may have */
export function requirePlace(directory: string, filename: string): void {
  const issues: Issue[] = []
  const inDirectory = directory === '' ? undefined : directoryViolation(directory)
  if (inDirectory) issues.push(issueAt('/directory', ...inDirectory))
  const inFilename = filenameViolation(filename)
  if (inFilename) issues.push(issueAt('/filename', ...inFilename))
  if (issues.length > 0) throw invalid(issues)
}
