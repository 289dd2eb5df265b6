export { s3 } from './s3.ts'
export type { S3Options } from './s3-options.ts'
