export { jwt } from './jwt.ts'
export type { JwtClaims, JwtOptions } from './jwt-options.ts'
