// Hides the S3 SDK from a process: node --import without-sdk.ts
import { registerHooks } from 'node:module'

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== '@aws-sdk/client-s3') return next(specifier, context)
    throw Object.assign(new Error(`Cannot find package '${specifier}'`), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})
