export { jwt } from '../auth/jwt.ts'
export type { JwtClaims, JwtOptions } from '../auth/jwt-options.ts'
