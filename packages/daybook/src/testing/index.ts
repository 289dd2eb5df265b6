export { type AuthAdapterSubject, authAdapterConformance, type ConformanceCheck } from './auth-conformance.ts'
export { createTestService, type TestService } from './test-service.ts'
