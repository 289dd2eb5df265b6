export type { S3Options } from './s3-options.ts'
export { s3 } from './s3-store.ts'
