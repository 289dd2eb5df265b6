export { createTestService, type TestService } from './test-service.ts'
