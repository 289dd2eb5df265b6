export { type AuthAdapterSubject, authAdapterConformance, type ConformanceCheck } from './auth-conformance.ts'
export { type BlobStoreSubject, blobStoreConformance } from './blob-store-conformance.ts'
export { type PluginSubject, pluginConformance } from './plugin-conformance.ts'
export { createTestService, type TestService } from './test-service.ts'
