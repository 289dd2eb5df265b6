export type { RobotsOptions, RobotsRule } from './robots/options.ts'
export { robots } from './robots/robots.ts'
